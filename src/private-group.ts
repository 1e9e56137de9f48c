// Decides whether a group gives access to this user only.
import { readFileSync } from 'node:fs'

/** `readLines` reads a file of accounts. Only the groups in them can be judged: nothing lists other groups' members. */
export const isPrivateGroup = (gid: number, user: number, readLines = readAccounts): boolean => {
  // Its members are trusted like root. OpenShift's containers run in it.
  if (gid === 0) return true
  const group = String(gid)
  try {
    const people = readLines('/etc/passwd').map((line) => line.split(':'))
    const names = readLines('/etc/group')
      .map((line) => line.split(':'))
      .filter(([, , id]) => id === group)
    const members = names.flatMap(([, , , listed = '']) => listed.split(',').filter(Boolean))
    const isTrusted = (id?: string): boolean => id === String(user) || id === '0'
    const hasOthers =
      people.some(([, , id, primary]) => primary === group && !isTrusted(id)) ||
      members.some((member) => !people.some(([name, , id]) => name === member && isTrusted(id)))
    // OpenShift lists neither its volumes' user nor their group and gives them the same number.
    const isOwn =
      people.some(([, , id, primary]) => primary === group && id === String(user)) ||
      (gid === user && names.length === 0)
    return isOwn && !hasOthers
  } catch {
    return false
  }
}

const readAccounts = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n')
