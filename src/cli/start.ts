#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';
import { isAbsolute, join } from 'node:path';

// The start of the package's command. The program itself is main.ts, in a file of its own.

// Node 22.1 and later can keep the compiled code of files that are loaded after this call. A command then takes about
// 9 of 80 ms less. The user's own folder for such files is used if there is one: Node's default is a folder in /tmp,
// which all users of the machine share.
const { XDG_CACHE_HOME, HOME } = process.env;
const caches = XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : HOME && join(HOME, '.cache');
const node: typeof module & { enableCompileCache?: (folder: string) => unknown } = module;
if (caches && existsSync(caches)) node.enableCompileCache?.(join(caches, 'messaging'));

// An import would be loaded before the call above.
require('./main');
