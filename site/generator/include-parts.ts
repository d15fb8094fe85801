import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { slugOf } from './headings.ts'
import { projectFolder } from './site-folders.ts'

/**
 * Puts parts of other documents in the place of `<!-- include docs/tasks.md#stream-a-reply -->`: what is below that
 * heading, or the first block of the document if none is named. So no program is written twice, and each is tested
 * where it stands.
 *
 * @throws when the document has no such part
 */
export function includeParts(markdown: string): string {
  return markdown.replace(/^<!-- include ([^\s#]+)(?:#(\S+))? -->$/gm, (_, file: string, anchor?: string) => {
    const text = readFileSync(join(projectFolder, file), 'utf8')
    return anchor === undefined ? firstBlock(text, file) : partBelow(text, anchor, file)
  })
}

function firstBlock(markdown: string, file: string): string {
  const block = /^```(?:tsx?|js)\n[\s\S]*?^```$/m.exec(markdown)?.[0]
  if (block === undefined) throw new Error(`${file} has no block.`)
  return block
}

/** What is below a heading, without the heading, as far as the next one of the same or a higher level. */
function partBelow(markdown: string, anchor: string, file: string): string {
  const lines = markdown.split('\n')
  let isCode = false
  let level = 0
  const part: string[] = []
  for (const line of lines) {
    if (line.startsWith('```')) isCode = !isCode
    const heading = isCode ? null : /^(#{1,6}) (.+)$/.exec(line)
    if (heading !== null && level > 0 && heading[1]!.length <= level) break
    if (level > 0) part.push(line)
    else if (heading !== null && slugOf(heading[2]!) === anchor) level = heading[1]!.length
  }
  if (level === 0) throw new Error(`${file} has no heading "${anchor}".`)
  return part.join('\n').trim()
}
