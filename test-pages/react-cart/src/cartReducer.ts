import type { CartAction, CartState } from './types';

export const initialCart: CartState = {
  items: [
    { id: 1, name: 'Notebook', price: 4.5, quantity: 2 },
    { id: 2, name: 'Fountain pen', price: 24, quantity: 1 },
    { id: 3, name: 'Ink', price: 7.25, quantity: 1 },
  ],
  coupon: null,
};

export function cartReducer(state: CartState, action: CartAction): CartState {
  switch (action.type) {
    case 'quantity':
      return {
        ...state,
        items: state.items.map((item) =>
          item.id === action.id ? { ...item, quantity: Math.max(0, item.quantity + action.by) } : item,
        ),
      };
    case 'coupon':
      return { ...state, coupon: action.coupon };
  }
}
