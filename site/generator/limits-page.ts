import { codeConstant } from './code-constant.ts'
import type { SitePage } from './site-page.ts'

/** Each limit, with the file and the name of its number in the code. */
const limits = [
  ['An entry, as JSON', 'src/domain/normalise.ts', 'maxBytes', 'bytes'],
  ['Nesting of an entry', 'src/domain/normalise.ts', 'maxDepth', 'levels'],
  ['Name of a collection', 'src/contract/store/collections.ts', 'longestName', 'characters'],
  ['Key of a row', 'src/contract/store/collections.ts', 'longestRowKey', 'characters'],
  ['Value of a row', 'src/storage/engine/collections/check-row-writes.ts', 'mostBytes', 'bytes'],
  ['Changes of rows in one call', 'src/contract/store/collections.ts', 'mostRowWrites', ''],
  ['Rows in a page', 'src/contract/store/collections.ts', 'mostRows', ''],
  ['Writes held in memory while the database is unreachable', 'src/client/recovery/held-writes.ts', 'heldAtMost', ''],
  ['Their size', 'src/client/recovery/held-writes.ts', 'heldBytesAtMost', 'bytes'],
  ['Entries of one conversation in a file of another app', 'src/formats/create-size-guard.ts', 'mostEntries', ''],
  ['Their size', 'src/formats/create-size-guard.ts', 'mostBytes', 'bytes'],
  ['One conversation in an imported file', 'src/formats/json-items.ts', 'itemLimit', 'bytes'],
  ['A line of an imported file', 'src/formats/jsonl-lines.ts', 'lineLimit', 'bytes'],
  ['An imported file that is read as a whole', 'src/formats/read-text.ts', 'textLimit', 'bytes'],
] as const

/** The limits, as numbers of the code. */
export function limitsPage(): SitePage {
  const rows = limits.map(([what, file, name, unit]) => `| ${what} | ${amountOf(codeConstant(file, name), unit)} |`)
  const markdown = `# Limits

What is larger is refused before anything is written, with \`TooLarge\` or \`InvalidInput\`; the message of the error
says where. A session has no limit of its own: appends cost the same
[at a million messages](../../docs/performance.md). The space of the origin is the browser's to give:
see [quota and retention](../guides/quota.md).

| | limit |
| --- | ---: |
${rows.join('\n')}

Characters are UTF-16 code units.
`
  return { address: 'reference/limits', source: 'site/reference/limits.md', markdown }
}

function amountOf(value: number, unit: string): string {
  const isPower = unit === 'bytes' && value % (1024 * 1024) === 0
  return isPower ? `${value / 1024 / 1024} MiB` : `${value.toLocaleString('en')} ${unit}`.trim()
}
