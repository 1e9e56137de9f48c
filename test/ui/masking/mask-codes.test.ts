// Codes are masked. Known codes are found in every spelling, and nothing else is masked.
import { describe, expect, test } from 'vitest'
import { createCodeMasker, maskCode, maskLink, maskTerms } from '../../../src/ui/masking/mask-response.ts'
import { isAllRun } from '../../support/cases.ts'

describe('a known code is masked', () => {
  test.each([
    ['grouped otherwise', 'ABCD-1234', 'ABCD 1234, AB CD12 34, ABCD1234', '••••, ••••, ••••'],
    ['in another case', 'ABCD-1234', 'abcd1234 Abcd-1234', '•••• ••••'],
    ['with three characters between', 'ABCD-1234', 'ABCD - 1234', '••••'],
    ['not with four', 'ABCD-1234', 'ABCD -- 1234', 'ABCD -- 1234'],
    ['with its own wider gap', 'AB12", \n;x34', 'AB12", \n;x34; AB12", \n; x34', '••••; AB12", \n; x34'],
    ['in fullwidth characters', 'ABCD-1234', 'ＡＢＣＤ－１２３４', '••••'],
    ['written in fullwidth characters', 'ＡＢＣＤ－１２３４', 'abcd1234', '••••'],
    ['in letters of two units', '𝒜bcdef1', 'x𝒜BCDEF1y', 'x••••y'],
    ['in letters of two units at the end', '1bcdef𝒜', 'x1bcdef𝒜y', 'x••••y'],
    ['in letters of two units in both cases', '𐐀bcdef1', 'x𐐨bcdef1y', 'x••••y'],
    ['in letters that have two capitals', 'straße-12', 'STRASSE12? STRAßE 12!', '••••? ••••!'],
    ['in front of another one', 'ABCD-1234', 'ABCD1234ABCD1234', '••••••••'],
    ['together with one that overlaps', 'ABCDEF123456', 'from ABCDEF-123456-QRSTUV on', 'from ••••STUV on'],
    ['together with one that is within', '123456QR', 'from 123456QRSTUV on', 'from ••••STUV on'],
    ['at the very start and end', '471199', '471199', '••••'],
    ['as a link', 'https://a.example/c/1', 'see https://a.example/c/1', 'see a.example/…'],
  ])('%s', (_, code, text, masked) => {
    expect(createCodeMasker([code, '123456QRSTUV']).mask(text)).toBe(masked)
  })

  test.each([
    ['of six letters with a digit', '471199', '84711990', '8••••0'],
    ['not of five', '47119', '8471190', '8471190'],
    ['not of five at the end of a word', '47119', '847119', '847119'],
    ['not of five at the start of a word', '47119', '471190', '471190'],
    ['of twelve letters without a digit', 'QWRTZPLMNBVC', 'xqwrtzplmnbvcx', 'x••••nbvcx'],
    ['not of eleven', 'QWRTZPLMNBV', 'xqwrtzplmnbvx', 'xqwrtzplmnbvx'],
    ['not of a word', 'format', 'information, format', 'information, ••••'],
    ['of digits of another script', '٤٧١١٩٩', 'x٤٧١١٩٩x', 'x••••x'],
  ])('within a longer word: %s', (_, code, text, masked) => {
    expect(createCodeMasker([code]).mask(text)).toBe(masked)
  })

  test.each([
    ['a short code', '12', '12, 112, 1-2, 1    2', '••••, 112, ••••, 1    2'],
    ['a short code, but no part of a date', '2027', '2027, 2027-11-20', '••••, 2027-11-20'],
    ['a short code, but no end of a date', '1120', '1120, 2027-11-20', '••••, 2027-11-20'],
    ['a part of a date, if the code is long', '202711', 'on 2027-11-20', 'on ••••-20'],
    ['nothing in a text without letters', '12', '-', '-'],
    ['nothing by a code without letters', '--', 'a -- b', 'a -- b'],
  ])('%s', (_, code, text, masked) => {
    expect(createCodeMasker([code]).mask(text)).toBe(masked)
  })
})

test('codes of different lengths with the same start are distinguished', () => {
  const { mask } = createCodeMasker(['QV7K30DM', 'QV7K30DMXH2P', 'QV7K30'])
  expect(mask('QV7K30 QV7K30D QV7K30DM QV7K30DMX QV7K30DMXH2P')).toBe('•••• ••••D •••• ••••X ••••XH2P')
})

test.runIf(isAllRun)('masking 40,000 codes in 10,000 texts takes linear time', () => {
  const timeOf = (count: number): number => {
    const numbers = Array.from({ length: count * 4 }, (_, at) => String(at).padStart(6, '0'))
    const codes = numbers.map((number) => `QV7K-30DM-${number}-XH2P`)
    const texts = codes.slice(0, count).map((code) => `Enter ${code.replaceAll('-', ' ')} or none.`)
    const before = process.cpuUsage()
    const { mask } = createCodeMasker(codes)
    for (const text of texts) expect(mask(text)).toBe('Enter ••••XH2P or none.')
    return process.cpuUsage(before).user / 1000
  }
  timeOf(1_000)
  // One after the other, they took minutes.
  expect(timeOf(10_000)).toBeLessThan(5_000)
})

test.each([
  ['QV7K-30DM-XH2P-9A5C', '••••9A5C'],
  ['SANDBOX-QV7K-30DM-XH2P-9A5C', '••••9A5C'],
  ['0164362523349381', '••••9381'],
  ['ABCD-EFGH-IJK', '••••'],
  ['123456', '••••'],
  ['', ''],
  [' ', ''],
])('the code %j is masked as %j', (code, masked) => {
  expect(maskCode(code)).toBe(masked)
})

test.each([
  ['https://redeem.example/X/CODE?pin=1', 'redeem.example/…'],
  ['https://user:CODE@redeem.example:8443/', 'redeem.example:8443/…'],
  ['tel:*123*CODE#', '••••'],
  ['CODE', '••••'],
  ['', ''],
])('the link %j is masked as %j', (link, masked) => {
  expect(maskLink(link)).toBe(masked)
})

test.each([
  ['Enter QV7K-30DM-XH2P-9A5C now.', 'Enter ••••9A5C now.'],
  ['Enter SANDBOX-AB12-CD34-EF56-GH78 now.', 'Enter ••••GH78 now.'],
  ['Enter SANDBOX-QV7K-30DM-XH2P-9A5C now.', 'Enter SANDBOX-••••9A5C now.'],
  ['Enter qv7k 30dm xh2p 9a5c now.', 'Enter ••••9a5c now.'],
  ['Enter QV7K<!-- > -->-30DM-XH2P-9A5C now.', 'Enter ••••9A5C now.'],
  [`Enter ${encodeURIComponent('ＱＶ７Ｋ')}-30DM-XH2P-9A5C now.`, 'Enter ••••9A5C now.'],
  ['PIN 4711, not 14711', 'PIN ••••, not 14711'],
  ['Unknown: AB12-CD34-EF', 'Unknown: ••••'],
  ['1234 5678 9012 3456', '••••3456'],
  ['Code {AB12 CD34 EF56}', 'Code {••••EF56}'],
  ['ABCD-EFGH-JKLM', '••••JKLM'],
  ['2027-11-20-7788-AB', '••••88AB'],
  ['No days are 4821-93-57 and 9999-12-40.', 'No days are •••• and ••••.'],
  ['Enter ZQ9X-<b>77WK</b>-CANA-RY42. PIN <i>82</i>15', 'Enter ••••RY42. PIN ••••'],
  // A PIN that no card has.
  ['Your PIN is 8215.', 'Your PIN is ••••.'],
  ['PIN: 8215, pin8215, Pin-Code = 8215', 'PIN: ••••, pin••••, Pin-Code = ••••'],
  ['PIN (8215), PIN no. 8215', 'PIN (••••), PIN no. ••••'],
  ['Ihre PIN lautet 821534; CVV2 "8215"', 'Ihre PIN lautet ••••; CVV2 "••••"'],
  ...[
    'The PIN has 6 digits. In 2027 PINs of 812 expire; PIN 2027-11-20.',
    'A PIN before 2027, shopping 8215, PIN 821, PIN 4 8215',
    'Valid until 2027-11-20, or 2027-11-20T10:00:00Z.',
    'Call 0800, 3 Jahre, Quorvane-Shop, €50.',
    '日本国内のストアでのみ。',
  ].map((unchanged) => [unchanged, unchanged]),
])('in the terms %j', (text = '', masked = '') => {
  expect(maskTerms(text, createCodeMasker(['QV7K-30DM-XH2P-9A5C', '4711']))).toBe(masked)
})
