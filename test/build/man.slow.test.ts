// The man pages: every command, flag and topic has its place, and man prints them without a warning.
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listCommands } from '../../build/command-tree.ts'
import { escapeText } from '../../build/man/roff.ts'
import { writeManPages } from '../../build/man.ts'
import { ownFiles } from '../../src/commands/doctor/run.ts'
import { topics } from '../../src/program/program.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-man-'))
beforeAll(() => writeManPages(folder, '2026-11-22'))
afterAll(() => rmSync(folder, { recursive: true }))

const man = (file: string) =>
  spawnSync('man', ['--warnings', '--local-file', file], {
    cwd: folder,
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', MANWIDTH: '80', MAN_KEEP_FORMATTING: '' },
    encoding: 'utf8',
  })
const hasMan = spawnSync('man', ['--version']).status === 0

const listPages = (): string[] => globSync('man?/*', { cwd: folder }).toSorted()

test('there is a page for each command and topic', () => {
  const commands = listCommands().map(({ path: words }) => `man1/${words.replaceAll(' ', '-')}.1`)
  const expected = ['man1/orderctl.1', ...commands, ...topics.map((topic) => `man7/orderctl-${topic}.7`)]
  expect(listPages()).toEqual(expected.toSorted())
})

test('the files are those that orderctl keeps', () => {
  const text = readFileSync(path.join(folder, 'man1/orderctl.1'), 'utf8').replaceAll('\\-', '-')
  const listed = [...text.matchAll(/\.(?:config|local\/state)\/orderctl\/([^\s"]+)/g)].map(
    ([, name = '']) => name,
  )
  expect(listed.filter((name) => !ownFiles.some(([form]) => form.test(name)))).toEqual([])
  const lasting = ownFiles.filter(([, what]) => !/^lock|in use/.test(what))
  expect(lasting.filter(([form]) => !listed.some((name) => form.test(name)))).toEqual([])
})

test('each page that a page refers to exists', () => {
  const pages = listPages()
  const references = pages.flatMap((page) =>
    [...readFileSync(path.join(folder, page), 'utf8').matchAll(/^\.BR "(.+)" \((\d)\)/gm)].map(
      ([, name = '', section]) => `man${section}/${name.replaceAll('\\-', '-')}.${section}`,
    ),
  )
  expect(references.length).toBeGreaterThan(100)
  expect([...new Set(references)].filter((page) => !pages.includes(page))).toEqual([])
})

describe.skipIf(!hasMan)('man', () => {
  test('prints each page without a warning', () => {
    for (const page of listPages()) {
      const { status, stderr, stdout } = man(page)
      expect([page, status, stderr]).toEqual([page, 0, ''])
      // Tables and commands to copy keep their lines.
      const long = stdout.split('\n').filter((line) => line.length > 80 && !line.startsWith(' '.repeat(11)))
      expect([page, long]).toEqual([page, []])
    }
  })

  test('prints the name, flags and examples of a command as its help does', () => {
    for (const { path: words, command } of listCommands()) {
      const { stdout } = man(`man1/${words.replaceAll(' ', '-')}.1`)
      const text = stdout.replaceAll(/\s+/g, ' ')
      expect(text).toContain(`NAME ${words.replaceAll(' ', '-')} - `)
      for (const { flags, description } of command.options) expect(text).toContain(`${flags} ${description}`)
    }
    expect(man('man1/orderctl-redeem.1').stdout).toContain('  orderctl redeem ord_1a2b3c --reveal\n')
  })

  test('keeps backslashes, quotes and lines that begin with a dot', () => {
    const file = path.join(folder, 'odd.1')
    const odd = ['.dot', "'quote'", 'back\\slash', 'a-b', '`tick` ^ ~', 'ü … 漢']
    writeFileSync(file, `.TH ODD 1\n.EX\n${odd.map(escapeText).join('\n')}\n.EE\n`)
    const { stdout, stderr } = man('odd.1')
    expect(stderr).toBe('')
    for (const line of odd) expect(stdout).toContain(line)
    rmSync(file)
  })
})
