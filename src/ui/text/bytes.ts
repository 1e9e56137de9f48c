// Formats sizes of files.

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

/** '832 bytes', '1.2 MiB'. */
export const formatBytes = (bytes: number): string => {
  const power = bytes === 0 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1)
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}
