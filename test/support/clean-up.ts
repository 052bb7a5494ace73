type Task = () => unknown;

const ofTest: Task[] = [];
const ofFile: Task[] = [];
let tasks = ofFile;

/** Runs the task after the test, or after the file when no test runs yet (beforeAll). The last task runs first. */
export function cleanUp(task: Task): void {
  tasks.push(task);
}

beforeEach(() => {
  tasks = ofTest;
});
afterEach(async () => {
  await runAll(ofTest);
  tasks = ofFile;
});
afterAll(() => runAll(ofFile));

async function runAll(list: Task[]): Promise<void> {
  while (list.length > 0) await list.pop()?.();
}
