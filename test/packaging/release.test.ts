import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changelogProblems, releaseNotes } from '../../build/release/changelog-problems.ts'
import { makeSbom } from '../../build/release/npm-commands.ts'
import { readManifest } from '../../build/release/package-manifest.ts'
import { lastTag, typeChanges } from '../../build/release/semver-report.ts'
import { packTarball, type Tarball, tarballProblems } from '../../build/release/tarball-problems.ts'
import { noticesProblems, thirdPartyNotices } from '../../build/release/third-party-notices.ts'

describe('a release', () => {
  it('is in the changelog', () => {
    expect(changelogProblems(readManifest().version)).toEqual([])
    expect(changelogProblems('2.0.0', '# Changelog\n\n## 1.0.0 (2026-12-31)\n')).toHaveLength(1)
    expect(changelogProblems('1.0.0', '# Changelog\n\n## 1.0.0\n')).toHaveLength(1)
  })

  it('has the number of its tag, and a date', () => {
    const changelog = '# Changelog\n\n## 1.0.0 (2026-12-31)\n'
    expect(changelogProblems('1.0.0', changelog, 'v1.0.0')).toEqual([])
    expect(changelogProblems('1.0.0', changelog, 'v1.0.1')).toEqual(['The tag is v1.0.1, but package.json has 1.0.0.'])
    expect(changelogProblems('1.0.0', '## 1.0.0 (unreleased)\n', 'v1.0.0')).toHaveLength(1)
  })

  it('has the notes of itself only', () => {
    const changelog = '# Changelog\n\n## 1.10.0 (2026-12-31)\n\nNew.\n\n## 1.1.0 (2026-12-01)\n\n### Fixed\n\nOld.\n'
    expect(releaseNotes('1.10.0', changelog)).toBe('New.\n')
    expect(releaseNotes('1.1.0', changelog)).toBe('### Fixed\n\nOld.\n')
    expect(() => releaseNotes('2.0.0', changelog)).toThrow('says nothing of 2.0.0')
  })

  it('is compared with the release before it, also when its own tag is there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keepsession-tags-'))
    try {
      const git = (...args: string[]): unknown =>
        execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.org', ...args], { cwd: folder })
      const commit = (): unknown => git('commit', '--quiet', '--allow-empty', '--message', 'Change something')
      git('init', '--quiet')
      commit()
      git('tag', 'v1.0.0')
      expect(lastTag('1.0.0', folder)).toBeUndefined()
      commit()
      expect(lastTag('1.0.0', folder)).toBe('v1.0.0')
      expect(lastTag('1.1.0', folder)).toBe('v1.0.0')
      git('tag', 'v1.1.0')
      expect(lastTag('1.1.0', folder)).toBe('v1.0.0')
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it('has the licences of the code of others in it', () => {
    const notices = thirdPartyNotices()
    expect(noticesProblems(notices)).toEqual([])
    for (const name of ['comlink', 'dexie', 'yjs', 'zod']) expect(notices).toContain(`\n${name} `)
    expect(noticesProblems(`${notices} `)).toHaveLength(1)
  })

  it('has an SBOM that names its dependencies', () => expect(makeSbom().problems).toEqual([]))

  const tarball = packTarball()
  const withFile = (name: string, text: string): Tarball => ({
    ...tarball,
    files: new Map([...tarball.files, [name, text]]),
  })

  it('has nothing in its tarball that should not be there', () => expect(tarballProblems(tarball)).toEqual([]))

  it.each([
    ['a second copy of a worker', withFile('dist/session.worker-0000000.js', '')],
    ['code of a test', withFile('dist/some.test.js', '')],
    ['a source map that is not there', withFile('dist/a.js', '//# sourceMappingURL=a.js.map')],
    ['too many bytes', { ...tarball, bytes: 5_000_000 }],
  ])('is found to have %s', (_, bad) => expect(tarballProblems(bad)).not.toEqual([]))

  it('asks for a number by what changed of its types', () => {
    const before = new Map([
      ['.: a', 'one'],
      ['.: b', 'two'],
    ])
    expect(typeChanges(before, before)).toContain('patch')
    expect(typeChanges(before, new Map([...before, ['.: c', 'three']]))).toContain('added .: c\nAt least: minor.')
    expect(typeChanges(before, new Map([['.: a', 'one']]))).toContain('removed .: b\nAt least: major.')
  })
})
