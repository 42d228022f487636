// A Redux Toolkit slice: each `out.name = …` is asked; its value is a text that stands once in this file.
import { configureStore, createSlice } from '@reduxjs/toolkit';
globalThis.out = {};
const slice = createSlice({ name: 'cart', initialState: { coupon: 'none yet', items: [] }, reducers: {
  coupon: (state, action) => { state.coupon = action.payload; }, add: (state, { payload }) => { state.items.push(payload); } } });
const store = configureStore({ reducer: { cart: slice.reducer } });
store.dispatch(slice.actions.coupon('SAVE'));
store.dispatch(slice.actions.add({ id: 'item id' }));
out.coupon = store.getState().cart.coupon; out.item = store.getState().cart.items[0].id;
console.log('asked here');
