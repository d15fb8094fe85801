/** The session worker as one self-contained script: the source of a blob worker. */
declare module 'virtual:session-worker-source' {
  export default function source(): string
}

/** The job worker as one self-contained script: the source of a blob worker. */
declare module 'virtual:job-worker-source' {
  export default function source(): string
}

/** The search worker as one self-contained script: the source of a blob worker. */
declare module 'virtual:search-worker-source' {
  export default function source(): string
}

/** The sync worker as one self-contained script: the source of a blob worker. */
declare module 'virtual:sync-worker-source' {
  export default function source(): string
}
