/** Drawn on a grid of 24, stroked with the colour of the text around. */
const paths = {
  alert: 'M12 4 3 19.5h18L12 4zM12 10v4.5M12 17v.01',
  archive: 'M4 5h16v4H4zM5.5 9v10h13V9M10 13h4',
  attach: 'M19.5 11.5 11.6 19.4a5 5 0 0 1-7-7l8.3-8.4a3.3 3.3 0 0 1 4.7 4.7l-8.3 8.4a1.7 1.7 0 0 1-2.4-2.4l7.4-7.4',
  branch:
    'M7 4v9M7 16.5v.01M17 9.5c0 4-10 2.5-10 7M7 20a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM17 9a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  chat: 'M5 5h14v10.5h-8L7 19.5v-4H5z',
  check: 'M5 12.5 10 17l9-10',
  clock: 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 7.5V12l3 2',
  close: 'M6 6l12 12M18 6 6 18',
  cloud: 'M7 18.5a4.5 4.5 0 0 1-.6-9A6 6 0 0 1 18 8.6a5 5 0 0 1-.5 9.9H7z',
  cloudOff: 'M8.5 6.4A6 6 0 0 1 18 8.6a5 5 0 0 1 2.6 8.2M15 18.5H7a4.5 4.5 0 0 1-.6-9M4 4l16 16',
  copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
  devices: 'M3 5h13v9H3zM7 18h5M18 9h3v10h-5v-2',
  disk: 'M5 6.5c0 3.6 14 3.6 14 0s-14-3.6-14 0zM5 6.5v11c0 3.6 14 3.6 14 0v-11M5 12c0 3.6 14 3.6 14 0',
  down: 'M12 5v14M6 13l6 6 6-6',
  export: 'M12 15V4M7.5 8.5 12 4l4.5 4.5M4.5 19.5h15',
  file: 'M6.5 3.5H14l4 4v13H6.5zM14 3.5v4h4',
  fold: 'M9 6l6 6-6 6',
  import: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M4.5 19.5h15',
  inspect: 'M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6zM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  install: 'M4 5h16v11H4zM9 20h6M12 7.5v5M9.5 10.5 12 13l2.5-2.5',
  key: 'M8 19.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM10.9 12.6 19.5 4M15.5 8l3 3',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  menu: 'M4 7h16M4 12h16M4 17h16',
  merge: 'M7 20V4M7 6c0 6 10 3 10 9M17 15v.01M17 20a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  more: 'M6 12v.01M12 12v.01M18 12v.01',
  next: 'M9 6l6 6-6 6',
  pause: 'M9 6v12M15 6v12',
  pencil: 'M5 19l1-4L16 5l3 3L9 18l-4 1zM14 7l3 3',
  play: 'M8 5.5v13l10-6.5L8 5.5z',
  plus: 'M12 5v14M5 12h14',
  previous: 'M15 6l-6 6 6 6',
  redo: 'M19 12a7 7 0 1 1-2.2-5.1M19 4v4.5h-4.5',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.5 4.5',
  send: 'M12 19V5M6 11l6-6 6 6',
  sliders:
    'M4 8h9M17 8h3M4 16h3M11 16h9M15 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM9 18.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  stop: 'M7 7h10v10H7z',
  sun: 'M12 16.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM12 2.5V4M12 20v1.5M2.5 12H4M20 12h1.5M5.3 5.3l1 1M17.7 17.7l1 1M5.3 18.7l1-1M17.7 6.3l1-1',
  sync: 'M5 12a7 7 0 0 1 12-5l2 2M19 4.5V9h-4.5M19 12a7 7 0 0 1-12 5l-2-2M5 19.5V15h4.5',
  thought: 'M8 17.5a4.5 4.5 0 0 1-1-8.8 5 5 0 0 1 9.6-1.2A5 5 0 0 1 16 17.5H8zM8.5 21v.01',
  tool: 'M14.5 6.5a4 4 0 0 0-5 5L4 17l3 3 5.5-5.5a4 4 0 0 0 5-5L15 12l-3-3 2.5-2.5z',
  trash: 'M5 7h14M10 7V4.5h4V7M7 7l1 12.5h8L17 7M10.5 11v5M13.5 11v5',
  undo: 'M9 14 4.5 9.5 9 5M4.5 9.5h9a5.5 5.5 0 0 1 0 11H9',
} as const

export type IconName = keyof typeof paths

/** An icon; hidden from assistive technology, so its control needs a label of its own. */
export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  path.setAttribute('d', paths[name])
  svg.append(path)
  return svg
}
