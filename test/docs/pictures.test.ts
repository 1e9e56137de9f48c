// The diagrams of docs/pictures/ say what the source and docs/teams.md say: `npm run pictures` draws them again.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { charactersOf, diagrams, readTeam, renderDiagram } from './diagrams.ts'
import { themes } from './svg.ts'

const pages = globSync(['*.md', 'docs/*.md']).map((file) => readFileSync(file, 'utf8'))

test.for(Object.entries(diagrams))('%s', async ([name, draw]) => {
  const diagram = draw()
  const inPages = pages.flatMap(
    (page) => page.match(new RegExp(`^<picture>[^]*?${name}-light[^]*?^</picture>$`, 'm')) ?? [],
  )
  expect(inPages).toHaveLength(1)
  for (const { rows, width } of diagram.boxes)
    for (const row of rows)
      expect(row.reduce((total, { text }) => total + text.length, 0)).toBeLessThanOrEqual(charactersOf(width))
  for (const [theme, colours] of Object.entries(themes)) {
    const file = `${name}-${theme}.svg`
    expect(inPages[0]).toContain(`pictures/${file}"`)
    await expect(renderDiagram(diagram, colours)).toMatchFileSnapshot(path.resolve('docs/pictures', file))
  }
})

test('the whole answer to "Did I pay?" is also a table', () => {
  const page = readFileSync('docs/safety.md', 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (.*\.) \|$/gm)]
  const texts = rows.map(([, money, text = '']) => {
    const plain = text.replaceAll('`', '').replaceAll(/\[(.*?)\]\(.*?\)/g, '$1')
    return `${money}: ${plain}`
  })
  expect(texts.join(' ')).toBe(diagrams.paid().description)
})

test('the team has the roles and the rights of its page', () => {
  const page = readFileSync('docs/teams.md', 'utf8')
  const rolesOf = (pattern: RegExp) => new Set([...page.matchAll(pattern)].map(([, role]) => role))
  const team = readTeam()
  expect(new Set(team.map(({ role }) => role))).toEqual(rolesOf(/^CREATE ROLE (\w+) LOGIN;$/gm))
  const setting = team.filter(({ does }) => does === 'sets the limits').map(({ role }) => role)
  expect(new Set(setting)).toEqual(rolesOf(/--grant-limits ([a-z]+)/g))
})
