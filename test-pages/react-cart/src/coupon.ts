import type { Coupon } from './types';

/** Reads a code such as `SAVE10` or `BONUS15`: a word, then the percentage. */
export function parseCoupon(text: string): Coupon {
  const code = text.trim().toUpperCase();
  return {
    code,
    percent: Number(code.slice(4)),
  };
}
