// The check that keeps `any` out of the types in comments.

import assert from 'node:assert/strict';
import test from 'node:test';
import { looseTags } from '../no-any.mjs';

test('any is found wherever it is in a type', () => {
  assert.deepEqual(looseTags('* @param {any} a @param {unknown} b '), ['@param {any} a']);
  assert.deepEqual(looseTags('* @type {Map<string, { of: any }>} '), ['@type {Map<string, { of: any }>}']);
  assert.deepEqual(looseTags('* @returns {*} '), ['@returns {*}']);
  assert.deepEqual(looseTags('* @param {...any} values '), ['@param {...any} values']);
});

test('names and prose that hold the word are none', () => {
  assert.deepEqual(looseTags('* @param {AnyFunction} any of any kind @returns {company} '), []);
  assert.deepEqual(looseTags('any value'), []);
});
