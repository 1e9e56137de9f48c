// Formats times in the time zone of the browser.

const pad = (number, width = 2) => String(number).padStart(width, '0')

export const formatTime = (ms) => {
  const date = new Date(ms)
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
}

export const formatMoment = (ms) => {
  const date = new Date(ms)
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${formatTime(ms)}`
}

export const formatSpan = (ms) => {
  const seconds = Math.floor(ms / 1_000)
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ].filter(([count]) => count > 0)
  return units.map(([count, unit]) => `${count}${unit}`).join(' ') || '0s'
}
