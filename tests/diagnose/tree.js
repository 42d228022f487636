// A binary search tree. `tests/tests/diagnose.rs` makes it wrong, one line at a time.
'use strict';
class Node {
  constructor(key) {
    this.key = key;
    this.left = null;
    this.right = null;
  }
}
class Tree {
  constructor() {
    this.root = null;
    this.size = 0;
  }
  insert(key) {
    this.root = this.insertAt(this.root, key);
    this.size++;
  }
  insertAt(node, key) {
    if (node === null) return new Node(key);
    if (key < node.key) node.left = this.insertAt(node.left, key);
    else node.right = this.insertAt(node.right, key);
    return node;
  }
  min(node) {
    while (node.left !== null) node = node.left;
    return node.key;
  }
  remove(key) {
    this.root = this.removeAt(this.root, key);
    this.size--;
  }
  removeAt(node, key) {
    if (node === null) return null;
    if (key < node.key) {
      node.left = this.removeAt(node.left, key);
      return node;
    }
    if (key > node.key) {
      node.right = this.removeAt(node.right, key);
      return node;
    }
    if (node.left === null) return node.right;
    if (node.right === null) return node.left;
    node.key = this.min(node.right);
    node.right = this.removeAt(node.right, node.key);
    return node;
  }
  keys() {
    const keys = [];
    const walk = (node) => {
      if (node === null) return;
      walk(node.left);
      keys.push(node.key);
      walk(node.right);
    };
    walk(this.root);
    return keys;
  }
}
const tree = new Tree();
for (const key of [5, 2, 8, 3, 7, 9]) tree.insert(key);
tree.remove(8);
tree.remove(2);
document.title = tree.keys().join(' ');
