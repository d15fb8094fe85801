/** A page, by the file that it is made of. */
export interface ContentsEntry {
  /** Below the repository. */
  readonly source: string
  readonly address: string
}

/** A group of the navigation. `made` names pages that are made of the code, which stand behind the others. */
export interface ContentsSection {
  readonly title: string
  readonly pages: readonly ContentsEntry[]
  readonly made?: 'sizes and limits' | 'reference'
}

const guide = (name: string): ContentsEntry => ({ source: `site/guides/${name}.md`, address: `guides/${name}` })
const concept = (name: string): ContentsEntry => ({ source: `site/concepts/${name}.md`, address: `concepts/${name}` })
const moving = (name: string): ContentsEntry => ({ source: `site/moving/${name}.md`, address: `moving/${name}` })
const manual = (name: string, folder: string): ContentsEntry => ({
  source: `docs/${name}.md`,
  address: `${folder}/${name}`,
})

/** Everything on the site, in the order of the navigation. */
export const contents: readonly ContentsSection[] = [
  {
    title: 'Start',
    pages: [
      { source: 'site/start.md', address: 'index' },
      { source: 'site/live/live.md', address: 'live/index' },
      { source: 'site/comparison.md', address: 'comparison' },
    ],
  },
  { title: 'Concepts', pages: ['log', 'branches', 'tabs', 'devices', 'words'].map(concept) },
  {
    title: 'Guides',
    pages: [
      ...[
        'streaming',
        'lists-and-search',
        'branches',
        'attachments',
        'leadership',
        'offline',
        'sync',
        'end-to-end',
      ].map(guide),
      ...['encryption', 'import', 'quota', 'sign-out', 'testing', 'servers', 'content-security-policy', 'workers'].map(
        guide,
      ),
      manual('context', 'guides'),
      manual('tasks', 'guides'),
      manual('inspector', 'guides'),
    ],
  },
  {
    title: 'Moving from …',
    pages: ['local-storage', 'idb-keyval', 'dexie', 'rxdb', 'tanstack-ai', 'nextchat', 'openai-conversations'].map(
      moving,
    ),
  },
  {
    title: 'Frameworks',
    pages: [
      ...['react', 'vue', 'svelte', 'solid', 'ai-sdk', 'assistant-ui', 'tanstack-ai', 'openai-agents'],
      ...['ag-ui', 'langgraph', 'langchain', 'pi-web-ui', 'chat-api', 'agents'],
    ].map((name) => manual(name, 'frameworks')),
  },
  {
    title: 'Reference',
    pages: [
      ...['api', 'errors', 'storage', 'encryption', 'identity', 'sync', 'sync-encryption', 'browsers'],
      ...['reliability', 'performance'],
    ]
      .map((name) => manual(name, 'reference'))
      .concat([
        { source: 'server/README.md', address: 'reference/sync-server' },
        { source: 'CHANGELOG.md', address: 'reference/changes' },
      ]),
    made: 'sizes and limits',
  },
  { title: 'Declarations', pages: [], made: 'reference' },
]
