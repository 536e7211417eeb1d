/** Colours of the page as numbers that a graphics card takes. */

export type Rgb = readonly [r: number, g: number, b: number]

export interface Palette {
  ground: Rgb
  text: Rgb
  quiet: Rgb
  mark: Rgb
  accent: Rgb
  incoming: Rgb
  outgoing: Rgb
  /** Told apart side by side; what has no place among them is `mark`. */
  groups: readonly Rgb[]
  isDark: boolean
}

/** Hues of groups: neighbours in the list lie far apart on the wheel. */
const HUES = [250, 40, 150, 330, 90, 210, 10, 180, 290, 60, 120, 310]

/** What the style sheet says now. */
export function readPalette(element: HTMLElement): Palette {
  const probe = element.appendChild(document.createElement('span'))
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const read = (css: string): Rgb => {
    probe.style.color = css
    if (context === null) return [128, 128, 128]
    context.fillStyle = getComputedStyle(probe).color
    context.fillRect(0, 0, 1, 1)
    const [r, g, b] = context.getImageData(0, 0, 1, 1).data
    return [r, g, b]
  }
  const ground = read('var(--ground)')
  const isDark = ground[0] < 128
  const lightness = isDark ? 72 : 58
  const palette = {
    ground,
    text: read('var(--text)'),
    quiet: read('var(--quiet)'),
    mark: read('var(--mark)'),
    accent: read('var(--accent)'),
    incoming: read('var(--causal)'),
    outgoing: read('var(--structural)'),
    groups: HUES.map((hue) => read(`oklch(${lightness}% 0.1 ${hue})`)),
    isDark,
  }
  probe.remove()
  return palette
}

export function mixed(from: Rgb, to: Rgb, share: number): Rgb {
  return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share, from[2] + (to[2] - from[2]) * share]
}

export function css([r, g, b]: Rgb, alpha = 1): string {
  return `rgb(${Math.round(r)} ${Math.round(g)} ${Math.round(b)} / ${alpha})`
}

const INT = new Int32Array(1)
const FLOAT = new Float32Array(INT.buffer)

/** Four bytes in one number; the lowest bit of alpha is left out, so that it is never a NaN. */
export function packed([r, g, b]: Rgb, alpha: number): number {
  INT[0] = ((alpha * 255) << 24) | (b << 16) | (g << 8) | r
  INT[0] &= 0xfeffffff
  return FLOAT[0]
}
