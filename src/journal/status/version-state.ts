// Compares the version of a journal's tables with the version that this orderctl uses.

export type VersionState = 'missing' | 'older' | 'current' | 'newer'

export const compareVersions = (version: number | undefined, expected: number): VersionState => {
  if (version === undefined) return 'missing'
  if (version === expected) return 'current'
  return version < expected ? 'older' : 'newer'
}
