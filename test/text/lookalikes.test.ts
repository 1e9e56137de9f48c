// src/text/known-codes.ts
import { describe, expect, test } from 'vitest'
import { findLookalikes } from '../../src/text/known-codes.ts'

describe('a word that looks like a code', () => {
  test.each([
    ['has eight letters or digits, with a digit among them', 'ABCDEFG1 1234567 ABCDEF1', ['ABCDEFG1']],
    ['may have dashes, which do not count', 'AB-CD-EF-G1 AB-CD-EF-1', ['AB-CD-EF-G1']],
    ['may have small letters', 'abcdefg1 abcdefgh', ['abcdefg1']],
    ['has twelve capitals', 'ABCDEFGHIJKL ABCDEFGHIJK ABCDEFGHIJKl', ['ABCDEFGHIJKL']],
    ['has eight capitals in groups', 'ABCD-EFGH ABCD_EFGH ABCD-EFG', ['ABCD-EFGH', 'ABCD_EFGH']],
    ['is three groups of capitals and digits', 'ABC 123 DEF; AB 123 DEF; ABC 123', ['ABC 123 DEF']],
    ['is not three words in capitals', 'ABC DEF GHI', []],
    ['is no date', '2027-11-20 2027-11-20T10:00:00Z 2027-11-20T10:00+02:00', []],
    ['is what follows a date', '2027-11-20 ABCDEFG1', ['ABCDEFG1']],
    ['may start like a date', '2027-11-20-7788-AB 2027-13-20', ['2027-11-20-7788-AB', '2027-13-20']],
    ['may be of any script', 'ÄBCDEFG1 ١٢٣٤٥٦٧٨', ['ÄBCDEFG1', '١٢٣٤٥٦٧٨']],
  ])('%s', (_, text, words) => {
    expect(findLookalikes(text)).toEqual(words)
  })
})
