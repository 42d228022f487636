'use strict';
const DEGREE = 2;
class BNode {
  constructor(isLeaf) {
    this.isLeaf = isLeaf;
    this.keys = [];
    this.children = [];
  }
}
class BTree {
  constructor() {
    this.root = new BNode(true);
  }
  isFull(node) {
    return node.keys.length === 2 * DEGREE - 1;
  }
  position(node, key) {
    let index = 0;
    while (index < node.keys.length && key > node.keys[index]) index++;
    return index;
  }
  contains(node, key) {
    const index = this.position(node, key);
    if (index < node.keys.length && node.keys[index] === key) return true;
    if (node.isLeaf) return false;
    return this.contains(node.children[index], key);
  }
  insert(key) {
    if (this.isFull(this.root)) {
      const above = new BNode(false);
      above.children.push(this.root);
      this.split(above, 0);
      this.root = above;
    }
    this.insertInto(this.root, key);
  }
  insertInto(node, key) {
    let index = this.position(node, key);
    if (node.isLeaf) {
      this.insertKey(node, index, key);
      return;
    }
    if (this.isFull(node.children[index])) {
      this.split(node, index);
      if (key > node.keys[index]) index++;
    }
    this.insertInto(node.children[index], key);
  }
  insertKey(node, index, key) {
    for (let at = node.keys.length; at > index; at--) node.keys[at] = node.keys[at - 1];
    node.keys[index] = key;
  }
  insertChild(node, index, child) {
    for (let at = node.children.length; at > index; at--) node.children[at] = node.children[at - 1];
    node.children[index] = child;
  }
  split(node, index) {
    const full = node.children[index];
    const right = new BNode(full.isLeaf);
    this.moveKeys(full, right);
    if (!full.isLeaf) this.moveChildren(full, right);
    this.insertKey(node, index, full.keys.pop());
    this.insertChild(node, index + 1, right);
  }
  moveKeys(from, to) {
    for (let at = DEGREE; at < 2 * DEGREE - 1; at++) to.keys.push(from.keys[at]);
    while (from.keys.length > DEGREE) from.keys.pop();
  }
  moveChildren(from, to) {
    for (let at = DEGREE; at < 2 * DEGREE; at++) to.children.push(from.children[at]);
    while (from.children.length > DEGREE) from.children.pop();
  }
  height(node) {
    return node.isLeaf ? 1 : this.height(node.children[0]) + 1;
  }
  count(node) {
    let sum = node.keys.length;
    for (const child of node.children) sum += this.count(child);
    return sum;
  }
}
function walk(node, found) {
  for (let at = 0; at < node.keys.length; at++) {
    if (!node.isLeaf) walk(node.children[at], found);
    found.push(node.keys[at]);
  }
  if (!node.isLeaf) walk(node.children[node.keys.length], found);
  return found;
}
const tree = new BTree();
for (const key of [8, 3, 10, 1, 6, 14, 4, 7, 13, 2, 5, 9]) tree.insert(key);
const report = { keys: walk(tree.root, []), count: tree.count(tree.root), height: tree.height(tree.root), has: tree.contains(tree.root, 13) };
