import { encode } from 'uqr'

const namespace = 'http://www.w3.org/2000/svg'

/** A text as a QR code, always dark on light: many cameras read no other. */
export function qrCode(text: string, label: string): SVGSVGElement {
  const { data, size } = encode(text, { ecc: 'L', border: 3 })
  const svg = document.createElementNS(namespace, 'svg')
  for (const [name, value] of Object.entries({
    class: 'qr-code',
    viewBox: `0 0 ${size} ${size}`,
    role: 'img',
    'aria-label': label,
    'shape-rendering': 'crispEdges',
  }))
    svg.setAttribute(name, value)
  const path = document.createElementNS(namespace, 'path')
  path.setAttribute(
    'd',
    data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join(''),
  )
  svg.append(path)
  return svg
}
