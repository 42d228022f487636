export interface CartItem {
  id: number;
  name: string;
  price: number;
  quantity: number;
}

export interface Coupon {
  code: string;
  percent: number;
}

export interface CartState {
  items: CartItem[];
  coupon: Coupon | null;
}

export type CartAction =
  | { type: 'quantity'; id: number; by: number }
  | { type: 'coupon'; coupon: Coupon };

export interface Summary {
  subtotal: number;
  discount: number;
  total: number;
}
