// The commands that are run in each situation.
import type { World } from './world.ts'

type Words = (world: World, reference: string) => string[] | Promise<string[]>

export type CommandName = keyof typeof commands

/** The columns of the table, in order. */
export const commands = {
  create: (_, reference) => [
    ...['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference],
  ],
  // The order was created elsewhere, so the journal does not have it.
  confirm: async ({ calls }, reference) => [
    'confirm',
    await calls.created(['GAME-US'], { reference }),
    '--yes',
  ],
  get: ({ ended }) => ['get', ended],
  list: () => ['list'],
  redeem: ({ ended }) => ['redeem', ended],
  profiles: () => ['profile', 'list'],
  add: () => ['profile', 'add', 'other', '--base-url', 'https://orders.test', '--key-stdin'],
  sandbox: () => ['sandbox'],
  script: () => ['completion', 'bash'],
  tab: () => ['__complete', 'orderctl', 'confirm', ''],
} as const satisfies Readonly<Record<string, Words>>
