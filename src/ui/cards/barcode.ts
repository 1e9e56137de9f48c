// A code as a barcode for tills: Code 128, as SVG.
import { code128, drawingSVG } from 'bwip-js/generic'

/** Light at both ends, in modules, as the standard wants it. */
const quiet = 10
const moduleMm = 0.33
/** A finer one is not read from every printer's paper. */
const leastModuleMm = 0.25
const widestMm = 175
const heightMm = 14
/** Of the drawing: units a module. */
const scale = 2

/** Undefined where the code has characters that it cannot carry, or does not fit a page. */
export const barcodeSvg = (code: string): string | undefined => {
  if (!/^[ -~]+$/.test(code) || code.length > 100) return undefined
  const drawn = code128({ bcid: 'code128', text: code, scale, height: heightMm }, drawingSVG())
  const [, width = '', height = '', bars = ''] =
    /^<svg viewBox="0 0 (\d+) (\d+)"[^>]*>([\s\S]*)<\/svg>\s*$/.exec(drawn) ?? []
  const modules = Number(width) / scale + 2 * quiet
  if (!(modules * leastModuleMm <= widestMm)) return undefined
  const widthMm = Math.min(modules * moduleMm, widestMm).toFixed(2)
  return `<svg xmlns="http://www.w3.org/2000/svg" class="barcode" role="img" aria-label="Barcode" width="${widthMm}mm" height="${heightMm}mm" viewBox="${-quiet * scale} 0 ${modules * scale} ${height}" preserveAspectRatio="none">${bars.replace(/\n/g, '')}</svg>`
}
