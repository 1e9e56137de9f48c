// Renders a code as a Code 128 barcode for tills, in SVG.
import { code128, drawingSVG } from 'bwip-js/generic'

/** Light modules at both ends, required by ISO/IEC 15417. */
const quietZone = 10
const moduleMm = 0.33
/** Finer modules are unreadable on paper from some printers. */
const minModuleMm = 0.25
const maxWidthMm = 175
const heightMm = 14
/** SVG units a module. */
const scale = 2

/** Undefined if Code 128 cannot encode the characters, or the barcode is wider than a page. */
export const renderBarcode = (code: string): string | undefined => {
  if (!/^[ -~]+$/.test(code) || code.length > 100) return undefined
  const drawn = code128({ bcid: 'code128', text: code, scale, height: heightMm }, drawingSVG())
  const [, width = '', height = '', bars = ''] =
    /^<svg viewBox="0 0 (\d+) (\d+)"[^>]*>([\s\S]*)<\/svg>\s*$/.exec(drawn) ?? []
  const modules = Number(width) / scale + 2 * quietZone
  if (!(modules * minModuleMm <= maxWidthMm)) return undefined
  const widthMm = Math.min(modules * moduleMm, maxWidthMm).toFixed(2)
  return `<svg xmlns="http://www.w3.org/2000/svg" class="barcode" role="img" aria-label="Barcode" width="${widthMm}mm" height="${heightMm}mm" viewBox="${-quietZone * scale} 0 ${modules * scale} ${height}" preserveAspectRatio="none">${bars.replace(/\n/g, '')}</svg>`
}
