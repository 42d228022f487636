import type { Summary } from './types';

const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' });

interface Props {
  summary: Summary;
  couponCode?: string;
}

function toPay(summary: Summary) {
  return `To pay: ${money.format(summary.total)}`;
}

export function CartTotal({ summary, couponCode }: Props) {
  return (
    <ul id="total">
      <li>Goods: {money.format(summary.subtotal)}</li>
      {couponCode && (
        <li>
          Coupon {couponCode}: {money.format(-summary.discount)}
        </li>
      )}
      <li>{toPay(summary)}</li>
    </ul>
  );
}
