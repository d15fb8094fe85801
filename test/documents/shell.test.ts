import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandsOf, manuals, project, readDocument } from '../support/documents.ts'
import { installsFromLock, PROOFS, proofOf } from './shell-commands.ts'

const commands = manuals().flatMap(commandsOf)

describe('a command of the documents', () => {
  it.each(commands.map(({ place, text }) => [place, text] as const))('works: %s `%s`', async (_, command) => {
    const proof = proofOf(command)
    // Who writes a command says how it is known to work: in shell-commands.ts.
    expect(proof, `"${command}" has no proof`).toBeDefined()
    await proof!.prove?.(command)
  })

  it.each(['npm run no-such-script', 'npm install no-such-package', 'node server/main.js --no-such-option 1'])(
    'that would not work is found: %s',
    async (command) => {
      await expect((async () => proofOf(command)!.prove!(command))()).rejects.toThrow()
    },
  )

  it('that nobody proves is found, such as a comment without its mark', () => {
    const text = '```sh\nnpm test   # all\n           of them\n```\n'
    const found = commandsOf({ path: 'docs/planted.md', text }).map((command) => command.text)
    expect(found).toEqual(['npm test', 'of them'])
    expect(proofOf('of them')).toBeUndefined()
  })
})

describe('a proof', () => {
  it('names tests that there are', () =>
    expect(PROOFS.flatMap(({ testedBy }) => testedBy ?? []).filter((file) => !existsSync(join(project, file)))).toEqual(
      [],
    ))
  it('is of a command that some document has', () =>
    expect(PROOFS.filter((proof) => !commands.some(({ text }) => proof.command.test(text)))).toEqual([]))
})

it('installs as many packages for the sync server as its README says', () => {
  const [, count] = /^npm ci --prefix server +# (\d+) packages/m.exec(readDocument('server/README.md').text)!
  expect(installsFromLock(join(project, 'server'))).toBe(Number(count))
})
