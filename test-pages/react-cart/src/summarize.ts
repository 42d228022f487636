import type { CartItem, Coupon, Summary } from './types';

export function summarize(items: CartItem[], coupon: Coupon | null): Summary {
  let subtotal = 0;
  for (const item of items) {
    subtotal += item.price * item.quantity;
  }
  let discount = 0;
  if (coupon) {
    discount = (subtotal * coupon.percent) / 100;
  }
  return {
    subtotal,
    discount,
    total: subtotal - discount,
  };
}
