import { memo, type Dispatch } from 'react';
import type { CartAction, CartItem } from './types';

interface Props {
  item: CartItem;
  dispatch: Dispatch<CartAction>;
}

export const CartRow = memo(function CartRow({ item, dispatch }: Props) {
  return (
    <tr>
      <td>{item.name}</td>
      <td>{item.price.toFixed(2)}</td>
      <td>{item.quantity}</td>
      <td>
        <button
          aria-label={`More ${item.name}`}
          onClick={() => dispatch({ type: 'quantity', id: item.id, by: 1 })}
        >
          +
        </button>
        <button
          aria-label={`Less ${item.name}`}
          onClick={() => dispatch({ type: 'quantity', id: item.id, by: -1 })}
        >
          -
        </button>
      </td>
    </tr>
  );
});
