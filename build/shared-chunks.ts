import { basename, resolve } from 'node:path'
import { minifySync, normalizePath, type Rolldown } from 'vite'
import { type JoinLimits, joinChunks } from './join-chunks.ts'
import { type LoadGraph, loadedWith, merged, presentAt } from './load-graph.ts'
import { WORKERS } from './workers.ts'

/** About the part of a library that is used, by which its size is counted. The build leaves out the rest. */
const usedOfLibraries = 0.3

/** Four lines in all, and which worker starts from a blob is asked for seldom. */
const urls = new Set(WORKERS.map(({ virtual }) => `\0${virtual}`))

/**
 * Which chunk each module comes in. Modules that the same pages need come in one chunk, as always; small chunks then join
 * others, as far as the limits say, because each is one more file to load (`join-chunks.ts`).
 *
 * What only one entry needs is part of its file.
 */
export function sharedChunks(sources: readonly string[], limits: JoinLimits): Rolldown.CodeSplittingGroup {
  const idOf = (source: string): string => normalizePath(resolve(source))
  const entries = new Set(sources.map(idOf))
  let names: ReadonlyMap<string, string> | undefined
  return {
    debugName: 'shared-chunks',
    name(id, context) {
      if (urls.has(id)) return 'worker-urls'
      names ??= namesOf(modulesOf(entries, context), { ...limits, strict: limits.strict.map(idOf) })
      return names.get(id)
    },
    // What a module imports comes in the chunk that is chosen for it.
    includeDependenciesRecursively: false,
  }
}

/** The modules of the build, with about the bytes that each comes to. */
function modulesOf(entries: ReadonlySet<string>, context: Rolldown.ChunkingContext): LoadGraph {
  const bytes = new Map<string, number>()
  const imports = new Map<string, ReadonlySet<string>>()
  const later = new Map<string, ReadonlySet<string>>()
  const bundled = (ids: readonly string[]): Set<string> =>
    new Set(ids.filter((id) => typeof context.getModuleInfo(id)?.code === 'string'))
  const found = new Set(entries)
  for (const id of found) {
    const module = context.getModuleInfo(id)!
    imports.set(id, bundled(module.importedIds))
    later.set(id, bundled(module.dynamicallyImportedIds))
    for (const next of [...imports.get(id)!, ...later.get(id)!]) found.add(next)
    // Without the statements that import and export, which go when modules are joined.
    const code = minifySync(id, module.code!, { module: true }).code.replace(/^(import[^;]*;)+|export\{[^}]*\};?$/g, '')
    bytes.set(id, code.length * (id.includes('node_modules') ? usedOfLibraries : 1))
  }
  return { bytes, imports, later, entries }
}

/** The name of the chunk that each module comes in, unless that is the file of an entry. */
function namesOf(modules: LoadGraph, limits: JoinLimits): Map<string, string> {
  const first = chunksOf(modules)
  const joined = joinChunks(
    merged(modules, (id) => first.get(id)!),
    limits,
  )
  const members = new Map<string, string[]>()
  for (const [id, chunk] of first) members.set(joined.get(chunk)!, [...(members.get(joined.get(chunk)!) ?? []), id])
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const [chunk, ids] of members) {
    if (modules.entries.has(chunk)) continue
    const largest = ids.reduce((one, other) => (modules.bytes.get(other)! > modules.bytes.get(one)! ? other : one))
    // A part that is loaded later gives its chunk its name.
    let name = basename(modules.bytes.has(chunk) ? chunk : largest).replace(/\..*$/, '')
    while (taken.has(name)) name += '-more'
    taken.add(name)
    for (const id of ids) names.set(id, name)
  }
  return names
}

/** A chunk for all modules that are there at the same entries and parts: of that entry or part, where one begins there. */
function chunksOf(modules: LoadGraph): Map<string, string> {
  const present = [...presentAt(modules)]
  const roots = present.map(([root]) => root)
  const presence = (id: string): string => present.flatMap(([, has], i) => (has.has(id) ? [i] : [])).join()
  const chunks = new Map(roots.map((root) => [presence(root), root] as const))
  const timesLoaded = new Map<string, number>()
  for (const root of roots)
    for (const id of loadedWith(root, modules)) timesLoaded.set(id, (timesLoaded.get(id) ?? 0) + 1)
  const result = new Map<string, string>()
  for (const id of modules.bytes.keys()) {
    const chunk = chunks.get(presence(id)) ?? `shared ${presence(id)}`
    // Nobody imports from an entry, which would then export more than its source.
    const mayBeThere = !modules.entries.has(chunk) || timesLoaded.get(id) === 1
    result.set(id, roots.includes(id) ? id : mayBeThere ? chunk : `shared ${presence(id)}`)
  }
  return result
}
