// Checks that every link and every path in the documents leads to a file.
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const documents = globSync(['*.md', 'docs/**/*.md', 'src/**/*.md', 'test/**/*.md'], { cwd: root }).sort()

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')
const withoutBlocks = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '')

/** The name that GitHub gives to the heading of a line. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (file: string): string[] =>
  [...withoutBlocks(read(file)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

const linksOf = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
    .map(([, link, attribute]) => link ?? attribute ?? '')
    .filter((link) => !/^[a-z]+:/.test(link))

const isBroken = (document: string, link: string): boolean => {
  const [name = '', anchor] = link.split('#')
  const file = name === '' ? document : path.join(path.dirname(document), name)
  if (!existsSync(path.join(root, file))) return true
  return anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).includes(anchor)
}

const codeOf = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)

describe.each(documents)('%s', (document) => {
  const text = withoutBlocks(read(document))

  test('has no broken link', () => {
    expect(linksOf(text).filter((link) => isBroken(document, link))).toEqual([])
  })

  test('names only paths that exist', () => {
    const paths = codeOf(text)
      .flatMap((code) => code.split(' '))
      .filter((code) => /^(?:src|test|docs|build|bin|completions)\/[\w./*-]*$/.test(code))
      .filter((name) => !name.includes('/NAME/'))
    expect(paths.filter((name) => globSync(name, { cwd: root }).length === 0)).toEqual([])
  })
})

test('the map of the source names only files that exist', () => {
  const names = codeOf(withoutBlocks(read('src/README.md'))).filter((code) =>
    /^[\w./-]+\.(?:c?ts|md)$/.test(code),
  )
  expect(names.length).toBeGreaterThan(30)
  const exists = (name: string): boolean => ['src', '.'].some((at) => existsSync(path.join(root, at, name)))
  expect(names.filter((name) => !exists(name))).toEqual([])
})
