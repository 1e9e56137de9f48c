// What the name of a batch may be. The references of its orders begin with it.
import { isLabel } from '../contract/limits.ts'

const maxLength = 60

export const batchNameForm =
  `1 to ${maxLength} characters, without '/', control or invisible characters, ` +
  "not beginning with '-' or '@'"

export const normalizeBatchName = (name: string): string => name.trim().normalize('NFC')

// Invisible characters, and spaces that look like a common space.
const invisible = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb[\p{Zs}--[ ]]]/v

export const isBatchName = (name: string): boolean =>
  isLabel(name) &&
  [...normalizeBatchName(name)].length <= maxLength &&
  !/^\s*[-@]|\//.test(name) &&
  !invisible.test(name)
