// Writes the man pages: one for orderctl, one for each command, and one for each help topic.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readTopic } from '../src/commands/help/topics.ts'
import { topics } from '../src/program/program.ts'
import { listCommands } from './command-tree.ts'
import { nameCommandPage, renderCommandPage, renderProgramPage, renderTopicPage } from './man/pages.ts'
import { titleLine } from './man/roff.ts'
import type { Details } from './release/details.ts'

type Page = { readonly name: string; readonly section: number; readonly text: string }

const topicSummaries: Readonly<Record<string, string>> = {
  'exit-codes': 'exit codes of orderctl',
  environment: 'environment variables of orderctl',
  'order-file': 'order files and product files of orderctl',
  sandbox: 'the order service inside orderctl',
  json: 'JSON that orderctl prints',
  safety: 'how orderctl protects money and codes',
}

const listPages = async (): Promise<Page[]> => {
  const commands = listCommands()
  const topicPages = topics.map(async (topic) => {
    const name = `orderctl-${topic}`
    const summary = topicSummaries[topic]
    if (summary === undefined) throw new Error(`the topic ${topic} has no summary for its man page`)
    return { name, section: 7, text: renderTopicPage(name, summary, await readTopic(topic)) }
  })
  return [
    { name: 'orderctl', section: 1, text: renderProgramPage(commands) },
    ...commands.map((documented) => ({
      name: nameCommandPage(documented.path),
      section: 1,
      text: renderCommandPage(documented),
    })),
    ...(await Promise.all(topicPages)),
  ]
}

/** Into the folders man1 and man7 of `folder`. `date` is YYYY-MM-DD. */
export const writeManPages = async (folder: string, date: string): Promise<void> => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const { name, section, text } of await listPages()) {
    const place = path.join(folder, `man${section}`)
    mkdirSync(place, { recursive: true })
    writeFileSync(path.join(place, `${name}.${section}`), titleLine({ name, section, date, version }) + text)
  }
}

/** Calls `use` with a folder that contains `man`, and then removes the folder. */
export const withManPages = async ({ date }: Details, use: (folder: string) => void): Promise<void> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-release-'))
  try {
    await writeManPages(path.join(folder, 'man'), new Date(date * 1000).toISOString().slice(0, 10))
    use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
