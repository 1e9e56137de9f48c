// src/ui/screens/doctor.ts: at 80 columns, with colours and without.
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { type Finding, type KeptPath, renderDoctor } from '../../../src/ui/screens/doctor.ts'
import { inWords, viewOf } from '../screens.ts'

const findings: readonly Finding[] = [
  {
    group: 'Folders',
    name: 'Profiles',
    status: 'ok',
    detail: '/home/ana/.config/orderctl (mode 0700)',
    fix: null,
    advice: null,
  },
  {
    group: 'Folders',
    name: 'Journal',
    status: 'problem',
    detail: '/home/ana/.local/state/orderctl (mode 0777): other users can change its files',
    fix: 'chmod 700 /home/ana/.local/state/orderctl',
    advice: null,
  },
  {
    group: 'Profiles',
    name: 'shop',
    status: 'ok',
    detail: 'https://orders.example.com responses',
    fix: null,
    advice: null,
  },
  {
    group: 'Profiles',
    name: 'shop key',
    status: 'ok',
    detail: 'not refused (404 Order not found)',
    fix: null,
    advice: null,
  },
  {
    group: 'Profiles',
    name: 'shop clock',
    status: 'warning',
    detail: "this machine's clock is 2 min ahead of the service's",
    fix: null,
    advice: 'Set the clock of this machine.',
  },
  {
    group: 'Profiles',
    name: `${'a-long-name-'.repeat(4)} credential`,
    status: 'warning',
    detail: 'key in /home/ana/.config/orderctl/profiles.json',
    fix: null,
    advice: null,
  },
  {
    group: 'Profiles',
    name: 'evil',
    status: 'problem',
    detail: 'its \u001b[2Jdetail\nhas lines',
    fix: null,
    advice: null,
  },
]

const paths: readonly KeptPath[] = [
  { path: '/home/ana/.config/orderctl/profiles.json', purpose: 'profiles and their keys', bytes: 832 },
  {
    path: '/home/ana/.local/state/orderctl/journal.db',
    purpose: 'journal: the only record of your orders',
    bytes: 1_300_000,
  },
]

/** doctor never wraps a path or URL, so that users can copy it. */
const widest = (text: string): number =>
  Math.max(...text.split('\n').map((line) => (/\/\S*$/.test(line) ? 0 : stringWidth(line))))

/** The screen without colours. The coloured one says the same. */
const draw = (width: number): string => {
  const plain = renderDoctor(findings, paths, viewOf(width))
  const coloured = renderDoctor(findings, paths, viewOf(width, true))
  expect(widest(plain)).toBeLessThanOrEqual(width)
  expect(coloured).not.toBe(plain)
  expect(stripVTControlCharacters(coloured)).toBe(plain)
  return `\n${plain}`
}

test('at 80 columns, in colour', () => {
  draw(60)
  draw(80)
  expect(`\n${inWords(renderDoctor(findings, paths, viewOf(80, true)))}`).toMatchInlineSnapshot(`
    "
    <strong>Folders</>
      <good>ok</>       Profiles  /home/ana/.config/orderctl (mode 0700)
      <bad>problem</>  Journal   /home/ana/.local/state/orderctl (mode 0777): other users
                         can change its files
               <strong>try:</> chmod 700 /home/ana/.local/state/orderctl

    <strong>Profiles</>
      <good>ok</>       shop                      https://orders.example.com responses
      <good>ok</>       shop key                  not refused (404 Order not found)
      <warning>warning</>  shop clock                this machine's clock is 2 min ahead of the
                                         service's
               Set the clock of this machine.
      <warning>warning</>  a-long-name-a-long-name-a-long-name-a-long-name- credential
                                         key in
                                         /home/ana/.config/orderctl/profiles.json
      <bad>problem</>  evil                      its \\u{1b}[2Jdetail
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
