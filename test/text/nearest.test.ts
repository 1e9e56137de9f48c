// src/text/nearest.ts: what was meant by a word that is none.
import { describe, expect, test } from 'vitest'
import { nearest } from '../../src/text/nearest.ts'

const known = ['add', 'list', 'show', 'use', 'remove', 'test', 'reset', 'safety', 'completion']

describe('what was meant', () => {
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
  ])('by %s is %j', (word, meant) => {
    expect(nearest(word, known)).toEqual(meant)
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
  ])('by %s is %j, if only a single slip may lead to create or confirm', (word, meant) => {
    const isRisky = (name: string) => name === 'create' || name === 'confirm'
    expect(nearest(word, [...known, 'create', 'confirm'], isRisky)).toEqual(meant)
  })

  test.each(['', 'x', 'xyz', 'zzzzzz', 'completely-other'])('by %j is nothing', (word) => {
    expect(nearest(word, known)).toEqual([])
  })
})
