import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const document = fileURLToPath(new URL('../docs/performance.md', import.meta.url))

/** Puts what was measured into docs/performance.md, in the place of what the last run wrote there. */
export async function writeBetween(name: 'bench' | 'scale', text: string): Promise<void> {
  const before = await readFile(document, 'utf8')
  const [begin, end] = [`<!-- ${name}: written by npm run bench`, `<!-- ${name} ends -->`]
  const from = before.indexOf('\n', before.indexOf(begin))
  const to = before.indexOf(end)
  if (!before.includes(begin) || to < from)
    throw new Error(`docs/performance.md has no place for it: it needs a line ${begin} … --> and, after it, ${end}.`)
  await writeFile(document, `${before.slice(0, from)}\n\n${text}\n\n${before.slice(to)}`)
}
