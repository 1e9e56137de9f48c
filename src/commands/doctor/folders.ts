// The checks of the folders that orderctl writes to: where they are, whether they can be used, and by whom.
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../../context.ts'
import { findExposure, formatMode } from '../../exposure.ts'
import { getErrorReason } from '../../files.ts'
import { findProfilesExposure, findProfilesFolder } from '../../profiles/folder.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { formatBytes } from '../../ui/text/bytes.ts'
import { type Found, ok, problem, warning } from '../shared/checks/check.ts'
import { findStateExposure, stateFolderPath } from '../shared/journal/state-folder.ts'

export const checkProfilesFolder = (context: Context): readonly Found[] => {
  if (!needsProfiles(context)) return [ok('no home folder: only the environment is used')]
  const folder = findProfilesFolder(context)
  const variables = ['ORDERCTL_CONFIG_DIR', 'XDG_CONFIG_HOME']
  return [judgeFolder(context, { folder, variables, exposure: findProfilesExposure(folder) })]
}

export const checkStateFolder = (context: Context): readonly Found[] => {
  const folder = stateFolderPath(context)
  const variables = ['ORDERCTL_STATE_DIR', 'XDG_STATE_HOME']
  return [judgeFolder(context, { folder, variables, exposure: findStateExposure(context) })]
}

/** orderctl also works without it. See bin/orderctl.cjs. */
export const checkCache = (context: Context): readonly Found[] => {
  const folder = findCacheFolder(context)
  if (folder === undefined) return [ok('none, because there is no home folder')]
  const variables = ['XDG_CACHE_HOME']
  const exposure = findExposure(path.dirname(folder), { names: ['orderctl'], variable: 'XDG_CACHE_HOME' })
  const found = judgeFolder(context, { folder, variables, exposure })
  return [
    found.status === 'ok' ? found : { ...found, status: 'warning', detail: `not used: ${found.detail}` },
  ]
}

export const findCacheFolder = ({ environment, home }: Context): string | undefined => {
  const caches = environment.XDG_CACHE_HOME || (home && path.join(home, '.cache'))
  return caches && path.isAbsolute(caches) ? path.join(caches, 'orderctl') : undefined
}

/** The environment replaces the profiles, also on a machine without a home folder. */
export const needsProfiles = (context: Context): boolean => {
  if (context.environment.ORDERCTL_BASE_URL === undefined) return true
  try {
    return findProfilesFolder(context) !== ''
  } catch {
    return false
  }
}

type Folder = {
  readonly folder: string
  /** Those that may have selected it. */
  readonly variables: readonly string[]
  readonly exposure: ReturnType<typeof findExposure>
}

const judgeFolder = ({ platform, environment }: Context, { folder, variables, exposure }: Folder): Found => {
  // The first command that writes creates a missing folder.
  const place = findExisting(folder)
  const stats = statSync(place)
  const quoted = quoteShellWord(place)
  if (!stats.isDirectory()) return problem(`${place} is not a folder`, `mv ${quoted} ${quoted}.old`)
  const mode = platform === 'win32' ? '' : ` (mode ${formatMode(stats.mode)})`
  const source = variables.find((name) => environment[name])
  const by = source === undefined ? '' : `, by ${source}`
  const shown = place === folder ? `${folder}${mode}${by}` : `${folder} does not exist yet${by}`
  try {
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    return problem(
      `${shown}. orderctl cannot write to ${place}: ${getErrorReason(error)}`,
      `chmod u+rwx ${quoted}`,
    )
  }
  return exposure === undefined ? ok(shown) : problem(exposure.reason, exposure.fix)
}

/** The folder itself, or the nearest one above. */
const findExisting = (folder: string): string =>
  existsSync(folder) || path.dirname(folder) === folder ? folder : findExisting(path.dirname(folder))

const tightBytes = 100 * 1024 ** 2

/** Without space, no order can be recorded, so none is sent. */
export const checkSpace = (context: Context): readonly Found[] => {
  const { bavail, bsize } = statfsSync(findExisting(stateFolderPath(context)))
  const free = bavail * bsize
  const detail = `${formatBytes(free)} free for the journal`
  if (free >= tightBytes) return [ok(`more than ${formatBytes(tightBytes)} free for the journal`)]
  const fix = 'Free some space. Without space, orderctl cannot record an order, and sends none.'
  return [free === 0 ? problem(detail, fix) : warning(detail, fix)]
}
