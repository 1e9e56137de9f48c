// `report` over many orders, beside bare Node.
import { openScratch } from '../support/scratch.ts'
import { fillFile } from './filled-journal.ts'
import { compare, type Size, type Table, takeTurns, whole } from './measure.ts'
import { bareNode, createHome, measureUsage, orderctl, type Usage } from './processes.ts'

const sizes = {
  smoke: { count: 200, rounds: 1 },
  normal: { count: 100_000, rounds: 9 },
}

const reports = [
  [],
  ['--since', '365d', '--by', 'product'],
  ['--by', 'month', '--by', 'wallet', '--by', 'person'],
]

export const measureReport = async (size: Size): Promise<Table> => {
  const { count, rounds } = sizes[size]
  using scratch = openScratch()
  const env = createHome(scratch.folder)
  await fillFile(env, { origin: 'https://orders.example', count, apartMs: 5 * 60_000 })
  const rows: string[][] = []
  for (const flags of reports) {
    const words = ['report', ...flags]
    const found = await takeTurns(rounds, {
      ours: () => measureUsage({ words: [...orderctl, ...words], env }),
      bare: () => measureUsage({ words: bareNode, env }),
    })
    const of = (read: (usage: Usage) => number) => compare(found.ours.map(read), found.bare.map(read))
    const [ms, cpu] = [of(({ ms }) => ms), of(({ cpuMs }) => cpuMs)]
    const cells = [whole(ms.ours), whole(ms.theirs), ms.ratio.toFixed(1), whole(cpu.ours), whole(cpu.theirs)]
    rows.push([`\`${words.join(' ')}\``, ...cells])
  }
  return {
    title: 'report',
    columns: ['', 'ms', 'bare Node, ms', 'ratio', 'CPU ms', 'bare Node, CPU ms'],
    rows,
    note: `Medians of ${rounds} runs, with ${whole(count)} orders in the journal, one every 5 minutes.`,
  }
}
