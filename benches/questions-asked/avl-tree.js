'use strict';
class AvlNode {
  constructor(key) {
    this.key = key;
    this.left = null;
    this.right = null;
    this.height = 1;
  }
}
class AvlTree {
  constructor() {
    this.root = null;
    this.size = 0;
  }
  height(node) {
    return node === null ? 0 : node.height;
  }
  balance(node) {
    return this.height(node.left) - this.height(node.right);
  }
  update(node) {
    node.height = Math.max(this.height(node.left), this.height(node.right)) + 1;
  }
  rotateRight(node) {
    const pivot = node.left;
    node.left = pivot.right;
    pivot.right = node;
    this.update(node);
    this.update(pivot);
    return pivot;
  }
  rotateLeft(node) {
    const pivot = node.right;
    node.right = pivot.left;
    pivot.left = node;
    this.update(node);
    this.update(pivot);
    return pivot;
  }
  rebalance(node) {
    this.update(node);
    const balance = this.balance(node);
    if (balance > 1) {
      if (this.balance(node.left) < 0) node.left = this.rotateLeft(node.left);
      return this.rotateRight(node);
    }
    if (balance < -1) {
      if (this.balance(node.right) > 0) node.right = this.rotateRight(node.right);
      return this.rotateLeft(node);
    }
    return node;
  }
  insert(key) {
    this.root = this.insertAt(this.root, key);
  }
  insertAt(node, key) {
    if (node === null) {
      this.size++;
      return new AvlNode(key);
    }
    if (key < node.key) {
      node.left = this.insertAt(node.left, key);
    } else if (key > node.key) {
      node.right = this.insertAt(node.right, key);
    } else {
      return node;
    }
    return this.rebalance(node);
  }
  minimum(node) {
    while (node.left !== null) node = node.left;
    return node;
  }
  remove(key) {
    this.root = this.removeAt(this.root, key);
  }
  removeAt(node, key) {
    if (node === null) return null;
    if (key < node.key) {
      node.left = this.removeAt(node.left, key);
    } else if (key > node.key) {
      node.right = this.removeAt(node.right, key);
    } else if (node.left === null || node.right === null) {
      this.size--;
      return node.left === null ? node.right : node.left;
    } else {
      const next = this.minimum(node.right);
      node.key = next.key;
      node.right = this.removeAt(node.right, next.key);
    }
    return this.rebalance(node);
  }
  contains(key) {
    let node = this.root;
    while (node !== null) {
      if (key === node.key) return true;
      node = key < node.key ? node.left : node.right;
    }
    return false;
  }
  isBalanced(node) {
    if (node === null) return true;
    const difference = this.height(node.left) - this.height(node.right);
    if (difference > 1 || difference < -1) return false;
    return this.isBalanced(node.left) && this.isBalanced(node.right);
  }
}
function keys(node, found) {
  if (node === null) return found;
  keys(node.left, found);
  found.push(node.key);
  return keys(node.right, found);
}
function shape(node) {
  return node === null ? '' : '(' + shape(node.left) + node.key + '/' + node.height + shape(node.right) + ')';
}
const tree = new AvlTree();
for (const key of [50, 20, 60, 10, 30, 70, 25, 35, 5, 15, 80, 90, 65, 100, 110, 3, 1, 33, 32]) tree.insert(key);
for (const key of [60, 20, 110, 100]) tree.remove(key);
const report = { keys: keys(tree.root, []), size: tree.size, has: tree.contains(35), balanced: tree.isBalanced(tree.root), shape: shape(tree.root) };
