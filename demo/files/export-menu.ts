import type { ExportedFile, Job, SessionClient, SessionMeta } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { bytes } from '../ui/format.ts'
import { icon } from '../ui/icons.ts'
import { saveFile } from '../ui/save-file.ts'
import type { Toasts } from '../ui/toasts.ts'

export interface ExportMenu {
  readonly element: HTMLElement
  show(meta: SessionMeta | undefined): void
}

interface Choice {
  readonly id: string
  readonly name: string
  readonly hint: string
  start(client: SessionClient, key: string, signal: AbortSignal): Job<readonly ExportedFile[]> | Job<ExportedFile>
}

const ofSession: readonly Choice[] = [
  {
    id: 'markdown',
    name: 'Markdown',
    hint: 'For reading',
    start: (client, key, signal) => client.files.export('markdown', { keys: [key], signal }),
  },
  {
    id: 'pi',
    name: 'pi session log',
    hint: 'JSONL, with all branches',
    start: (client, key, signal) => client.files.export('pi', { keys: [key], signal }),
  },
  {
    id: 'openai',
    name: 'OpenAI messages',
    hint: 'JSON',
    start: (client, key, signal) => client.files.export('openai', { keys: [key], signal }),
  },
  {
    id: 'agently',
    name: 'Agently state',
    hint: 'JSON, with the memo',
    start: (client, key, signal) => client.files.export('agently', { keys: [key], signal }),
  },
]
const ofAll: readonly Choice[] = [
  {
    id: 'archive',
    name: 'Archive',
    hint: 'All but the trash; import it to restore',
    start: (client, _, signal) => client.files.export('archive', { signal }),
  },
  {
    id: 'markdown-all',
    name: 'Markdown',
    hint: 'Zip of readable files',
    start: (client, _, signal) => client.files.export('markdown', { as: 'zip', signal }),
  },
]

/** Saves the open conversation, or all of them, as files. */
export function createExportMenu(client: SessionClient, toasts: Toasts): ExportMenu {
  let key: string | undefined
  const item = (choice: Choice): HTMLElement =>
    h(
      'li',
      {},
      h(
        'button',
        {
          type: 'button',
          class: 'menu-item',
          'data-testid': `export-${choice.id}`,
          onclick: () => (menu.hidePopover(), void save(choice)),
        },
        h('span', {}, choice.name),
        h('span', { class: 'menu-hint' }, choice.hint),
      ),
    )
  const own = h(
    'section',
    { 'aria-label': 'This conversation' },
    h('h2', {}, 'Save this conversation'),
    h('ul', { class: 'menu-list' }, ...ofSession.map(item)),
  )
  const all = h(
    'section',
    { 'aria-label': 'All conversations' },
    h('h2', {}, 'Save all conversations'),
    h('ul', { class: 'menu-list' }, ...ofAll.map(item)),
  )
  const menu = h(
    'div',
    { class: 'menu', popover: 'auto', id: 'export-menu', 'aria-label': 'Export', role: 'dialog' },
    own,
    all,
  )
  const opener = h(
    'button',
    {
      type: 'button',
      class: 'icon-button',
      popovertarget: 'export-menu',
      'data-testid': 'export',
      title: 'Export',
      'aria-label': 'Export',
    },
    icon('export'),
  )
  const element = h('div', { class: 'export-menu' }, opener, menu)

  async function save({ name, start }: Choice): Promise<void> {
    const ending = new AbortController()
    const state = toasts.work(`Saving as ${name}…`, () => ending.abort())
    try {
      const job = start(client, key ?? '', ending.signal)
      for await (const { readBytes } of job) state.say(`Saving as ${name}: ${bytes(readBytes)}`)
      const result = await job.result
      const files = 'path' in result ? [result] : result
      for (const { path, blob } of files) saveFile(path.split('/').at(-1) ?? path, blob)
    } catch (error) {
      if (!ending.signal.aborted) toasts.fail('The export failed', error)
    } finally {
      state.end()
    }
  }

  return {
    element,
    show(meta) {
      key = meta?.key
      own.hidden = meta === undefined || meta.deletedAt !== undefined
    },
  }
}
