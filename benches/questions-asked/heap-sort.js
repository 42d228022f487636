'use strict';
function parent(index) {
  return Math.floor((index - 1) / 2);
}
function left(index) {
  return 2 * index + 1;
}
function right(index) {
  return 2 * index + 2;
}
function swap(values, one, other) {
  const value = values[one];
  values[one] = values[other];
  values[other] = value;
}
function largest(values, index, size) {
  let found = index;
  if (left(index) < size && values[left(index)] > values[found]) found = left(index);
  if (right(index) < size && values[right(index)] > values[found]) found = right(index);
  return found;
}
function siftDown(values, index, size) {
  const found = largest(values, index, size);
  if (found !== index) {
    swap(values, index, found);
    siftDown(values, found, size);
  }
}
function build(values) {
  for (let index = parent(values.length - 1); index >= 0; index--) siftDown(values, index, values.length);
}
function isHeap(values) {
  for (let index = 1; index < values.length; index++) {
    if (values[parent(index)] < values[index]) return false;
  }
  return true;
}
function heapSort(values) {
  build(values);
  for (let end = values.length - 1; end > 0; end--) {
    swap(values, 0, end);
    siftDown(values, 0, end);
  }
  return values;
}
const values = [7, 2, 9, 4, 1, 8, 5, 3, 10, 11];
const report = { sorted: heapSort(values), first: values[0], heap: isHeap([9, 5, 8, 1]) };
