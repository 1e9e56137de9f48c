// src/text/words.ts
import { expect, test } from 'vitest'
import { findNearest } from '../../src/text/words.ts'

const known = ['add', 'list', 'show', 'use', 'remove', 'test', 'reset', 'safety', 'completion']

test.each([
  ...['lst', 'lits', 'liist', 'lost', 'list', 'li'].map((word) => [word, 'list']),
  ['rest', 'test', 'reset'],
  ['compeltoin', 'completion'],
  ['ad', 'add'],
  ...['', 'x', 'xyz', 'zzzzzz', 'completely-other'].map((word) => [word]),
])('the nearest word to %j is %j', (word = '', ...meant) => {
  expect(findNearest(word, known)).toEqual(meant)
})

test.each([
  ...['creat', 'craete', 'crate'].map((word) => [word, 'create']),
  ...['cofirm', 'conform', 'confrim'].map((word) => [word, 'confirm']),
  ...['config', 'update', 'confrimm'].map((word) => [word]),
])('if create and confirm allow only one slip, the nearest word to %s is %j', (word = '', ...meant) => {
  const limit = (name: string): number => (name === 'create' || name === 'confirm' ? 1 : 3)
  expect(findNearest(word, [...known, 'create', 'confirm'], limit)).toEqual(meant)
})
