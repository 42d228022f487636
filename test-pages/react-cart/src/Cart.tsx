import { useCallback, useMemo, useReducer } from 'react';
import { CartRow } from './CartRow';
import { CartTotal } from './CartTotal';
import { CouponForm } from './CouponForm';
import { cartReducer, initialCart } from './cartReducer';
import { summarize } from './summarize';
import type { Coupon } from './types';

export function Cart() {
  const [{ items, coupon }, dispatch] = useReducer(cartReducer, initialCart);
  const summary = useMemo(() => summarize(items, coupon), [items, coupon]);
  const applyCoupon = useCallback((coupon: Coupon) => dispatch({ type: 'coupon', coupon }), []);

  return (
    <main>
      <h1>Cart</h1>
      <table>
        <tbody>
          {items.map((item) => (
            <CartRow key={item.id} item={item} dispatch={dispatch} />
          ))}
        </tbody>
      </table>
      <CouponForm onApply={applyCoupon} />
      <CartTotal summary={summary} couponCode={coupon?.code} />
    </main>
  );
}
