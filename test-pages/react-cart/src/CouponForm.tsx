import type { FormEvent } from 'react';
import { parseCoupon } from './coupon';
import type { Coupon } from './types';

export function CouponForm({ onApply }: { onApply: (coupon: Coupon) => void }) {
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    onApply(parseCoupon(String(form.get('code'))));
  }

  return (
    <form onSubmit={submit}>
      <label>
        Coupon <input id="code" name="code" />
      </label>
      <button id="apply">Apply</button>
    </form>
  );
}
