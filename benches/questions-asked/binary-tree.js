'use strict';
class TreeNode {
  constructor(key, value) {
    this.key = key;
    this.value = value;
    this.left = null;
    this.right = null;
  }
}
class BinaryTree {
  constructor() {
    this.root = null;
    this.count = 0;
  }
  put(key, value) {
    this.root = this.putAt(this.root, key, value);
  }
  putAt(node, key, value) {
    if (node === null) {
      this.count++;
      return new TreeNode(key, value);
    }
    if (key < node.key) node.left = this.putAt(node.left, key, value);
    else if (key > node.key) node.right = this.putAt(node.right, key, value);
    else node.value = value;
    return node;
  }
  get(key) {
    const node = this.find(this.root, key);
    return node === null ? -1 : node.value;
  }
  find(node, key) {
    if (node === null || node.key === key) return node;
    return key < node.key ? this.find(node.left, key) : this.find(node.right, key);
  }
  smallest(node) {
    return node.left === null ? node : this.smallest(node.left);
  }
  delete(key) {
    this.root = this.deleteAt(this.root, key);
  }
  deleteAt(node, key) {
    if (node === null) return null;
    if (key < node.key) {
      node.left = this.deleteAt(node.left, key);
      return node;
    }
    if (key > node.key) {
      node.right = this.deleteAt(node.right, key);
      return node;
    }
    if (node.left === null) {
      this.count--;
      return node.right;
    }
    if (node.right === null) {
      this.count--;
      return node.left;
    }
    const next = this.smallest(node.right);
    node.key = next.key;
    node.value = next.value;
    node.right = this.deleteAt(node.right, next.key);
    return node;
  }
  depth(node) {
    return node === null ? 0 : Math.max(this.depth(node.left), this.depth(node.right)) + 1;
  }
}
function entries(node, found) {
  if (node === null) return found;
  entries(node.left, found);
  found.push(node.key + ':' + node.value);
  return entries(node.right, found);
}
const tree = new BinaryTree();
for (const key of [40, 20, 60, 10, 30, 50, 70, 25, 75]) tree.put(key, key * 2);
tree.put(30, 33);
for (const key of [20, 70, 40]) tree.delete(key);
const report = { entries: entries(tree.root, []), count: tree.count, depth: tree.depth(tree.root), got: tree.get(25) };
