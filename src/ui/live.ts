// Lines on a terminal that are drawn again in place.
type Terminal = { write(text: string): void }

export const createLive = (terminal: Terminal, isOn: boolean) => {
  let drawn = 0
  const erase = (): string => (drawn === 0 ? '' : `\u001b[${drawn}A\r\u001b[J`)
  return {
    isOn,
    show: (lines: readonly string[]): void => {
      if (!isOn) return
      terminal.write(erase() + lines.join(''))
      drawn = lines.length
    },
    clear: (): void => {
      if (isOn && drawn > 0) terminal.write(erase())
      drawn = 0
    },
  }
}
