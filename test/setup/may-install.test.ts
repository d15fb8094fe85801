import { describe, expect, it } from 'vitest'
import { howToInstall, mayInstall } from '../support/may-install.mjs'

/** A developer's own Debian, where nobody may change anything unasked. */
const own = { hasApt: true, isRoot: true, isContainer: false, isTerminal: true, env: {} }

describe('system packages', () => {
  it.each([
    ['in CI', { env: { CI: 'true' } }],
    ['in a container', { isContainer: true }],
    ['where root works without a terminal', { isTerminal: false }],
    ['where KEEPSESSION_INSTALL asks for it', { env: { KEEPSESSION_INSTALL: '1' } }],
  ])('are installed %s', (_, more) => expect(mayInstall({ ...own, ...more })).toBe(true))

  it.each([
    ['at a person’s terminal', {}],
    ['at a terminal that says it is no CI', { env: { CI: 'false' } }],
    [
      'by who is not root, wherever that is',
      { isRoot: false, isContainer: true, isTerminal: false, env: { CI: 'true', KEEPSESSION_INSTALL: '1' } },
    ],
    ['without apt-get', { hasApt: false, isContainer: true, isTerminal: false }],
    [
      'where KEEPSESSION_INSTALL forbids it, wherever that is',
      { isContainer: true, isTerminal: false, env: { CI: 'true', KEEPSESSION_INSTALL: '0' } },
    ],
  ])('are left alone %s', (_, more) => expect(mayInstall({ ...own, ...more })).toBe(false))

  it.each([
    [
      'root',
      own,
      'Run: apt-get install --no-install-recommends chromium\nOr set KEEPSESSION_INSTALL=1, and it is done for you.',
    ],
    ['somebody else', { hasApt: true, isRoot: false }, 'Run: sudo apt-get install --no-install-recommends chromium'],
    [
      'somebody on another system',
      { hasApt: false, isRoot: false },
      'On Debian that is: apt-get install --no-install-recommends chromium',
    ],
  ])('are named to %s with the command that installs them', (_, place, text) =>
    expect(howToInstall(['chromium'], place)).toBe(text),
  )
})
