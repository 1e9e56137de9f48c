// src/ui/screens/doctor.ts: at 80 columns, with colours and without.
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { type Finding, type KeptPath, renderDoctor } from '../../../src/ui/screens/doctor.ts'
import { inWords, viewOf } from '../screens.ts'

const state = '/home/ana/.local/state/orderctl'
const find = (
  place: string,
  status: Finding['status'],
  detail: string,
  more: Partial<Finding> = {},
): Finding => {
  const [group = '', name = ''] = place.split(': ')
  return { group, name, status, detail, fix: null, advice: null, ...more }
}
const findings: readonly Finding[] = [
  find('Journal: Disk', 'ok', 'local, and its file locks work'),
  find('Journal: File', 'problem', `the journal cannot be used: every user can change ${state} (mode 0777)`, {
    fix: `chmod 700 ${state}`,
  }),
  find('Profiles: shop clock', 'warning', "this machine's clock is 2 min ahead of the service's", {
    advice: 'Set the clock of this machine.',
  }),
  find(`Profiles: ${'a-long-name-'.repeat(4)} clock`, 'warning', 'behind'),
  find('Profiles: evil', 'problem', 'its \u001b[2Jdetail\nhas lines'),
]

const profiles = '/home/ana/.config/orderctl/profiles.json'
const paths: readonly KeptPath[] = [
  { path: profiles, purpose: 'profiles and their keys', bytes: 832 },
  { path: `${state}/journal.db`, purpose: 'journal: the only record of your orders', bytes: 1_300_000 },
]

/** doctor never wraps a path or URL, so that users can copy it. */
const widest = (text: string): number =>
  Math.max(...text.split('\n').map((line) => (/\/\S*$/.test(line) ? 0 : stringWidth(line))))

test.each([60, 80])('at %i columns, the lines fit, and colours only repeat the text', (width) => {
  const plain = renderDoctor(findings, paths, viewOf(width))
  const coloured = renderDoctor(findings, paths, viewOf(width, true))
  expect(widest(plain)).toBeLessThanOrEqual(width)
  expect(coloured).not.toBe(plain)
  expect(stripVTControlCharacters(coloured)).toBe(plain)
})

test('at 80 columns, in colour', () => {
  expect(`\n${inWords(renderDoctor(findings, paths, viewOf(80, true)))}`).toMatchInlineSnapshot(`
    "
    <strong>Journal</>
      <good>ok</>       Disk: local, and its file locks work
      <bad>problem</>  File: the journal cannot be used: every user can change
               /home/ana/.local/state/orderctl (mode 0777)
               <strong>try:</> chmod 700 /home/ana/.local/state/orderctl

    <strong>Profiles</>
      <warning>warning</>  shop clock: this machine's clock is 2 min ahead of the service's
               Set the clock of this machine.
      <warning>warning</>  a-long-name-a-long-name-a-long-name-a-long-name- clock: behind
      <bad>problem</>  evil: its \\u{1b}[2Jdetail
               has lines

    <strong>Files</>
         <quiet>SIZE</>  <quiet>PATH</>                                        <quiet>CONTENT</>
    <quiet>────────────────────────────────────────────────────────────────────────────────</>
    832 bytes  /home/ana/.config/orderctl/profiles.json    profiles and their keys
      1.2 MiB  /home/ana/.local/state/orderctl/journal.db  journal: the only record
                                                           of your orders

    <bad>2 problems</>, <warning>2 warnings</>
    "
  `)
})

test('without problems and files', () => {
  expect(renderDoctor([], [], viewOf())).toBe('Files\norderctl has created no files\n\nNo problems found\n')
})
