// src/text/nearest-words.ts
import { describe, expect, test } from 'vitest'
import { findNearest } from '../../src/text/nearest-words.ts'

const known = ['add', 'list', 'show', 'use', 'remove', 'test', 'reset', 'safety', 'completion']

describe('the nearest word', () => {
  test.each([
    ['lst', ['list']],
    ['lits', ['list']],
    ['liist', ['list']],
    ['lost', ['list']],
    ['rest', ['test', 'reset']],
    ['compeltoin', ['completion']],
    ['list', ['list']],
    ['ad', ['add']],
    ['li', ['list']],
  ])('to %s is %j', (word, meant) => {
    expect(findNearest(word, known)).toEqual(meant)
  })

  test.each([
    ['creat', ['create']],
    ['craete', ['create']],
    ['cofirm', ['confirm']],
    ['conform', ['confirm']],
    ['config', []],
    ['update', []],
    ['crate', ['create']],
    ['confrim', ['confirm']],
    ['confrimm', []],
  ])('to %s is %j if create and confirm allow only one slip', (word, meant) => {
    const limit = (name: string): number => (name === 'create' || name === 'confirm' ? 1 : 3)
    expect(findNearest(word, [...known, 'create', 'confirm'], limit)).toEqual(meant)
  })

  test.each(['', 'x', 'xyz', 'zzzzzz', 'completely-other'])('to %j is none', (word) => {
    expect(findNearest(word, known)).toEqual([])
  })
})
