// Opens each HTML file given and checks what a reader relies on: nothing is fetched, nothing is logged, no
// sideways scroll, every link inside the page lands, it reads without scripts, axe-core finds nothing in light
// and dark, and it prints. Usage: node check.mjs [--shots DIR] FILE.html...
// Needs Chromium (CHROMIUM names it; default /usr/bin/chromium).
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [360, 768, 1440];
const SCHEMES = ['light', 'dark'];

const args = process.argv.slice(2);
const shotsAt = args.indexOf('--shots');
const shots = shotsAt >= 0 ? args.splice(shotsAt, 2)[1] : null;
if (args.length === 0) {
  console.error('usage: node check.mjs [--shots DIR] FILE.html...');
  process.exit(2);
}
if (shots) mkdirSync(shots, { recursive: true });

let passed = 0;
let failed = 0;
function report(file, what, problems) {
  if (problems.length === 0) {
    passed += 1;
    console.log(`ok    ${file}: ${what}`);
  } else {
    failed += 1;
    console.log(`FAIL  ${file}: ${what}`);
    for (const problem of problems.slice(0, 10)) console.log(`        ${problem}`);
  }
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});

async function open(file, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const heard = { console: [], requests: [] };
  const own = pathToFileURL(resolve(file)).href;
  page.on('console', (message) => heard.console.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => heard.console.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== own && request.url() !== 'data:,') heard.requests.push(request.url());
  });
  await page.goto(own, { waitUntil: 'load' });
  return { context, page, heard };
}

// Opens every details, so that what is folded is checked too.
const unfold = (page) => page.evaluate(() => document.querySelectorAll('details').forEach((item) => { item.open = true; }));

async function quiet(file) {
  const { context, page, heard } = await open(file, { viewport: { width: 1440, height: 900 } });
  await unfold(page);
  await page.waitForTimeout(100);
  report(file, 'no console message', heard.console);
  report(file, 'no request', heard.requests);
  await context.close();
}

async function widths(file) {
  for (const width of WIDTHS) {
    const { context, page } = await open(file, { viewport: { width, height: 900 } });
    for (const state of ['folded', 'unfolded']) {
      if (state === 'unfolded') await unfold(page);
      const problems = await page.evaluate(() => {
        const view = document.documentElement.clientWidth;
        if (document.documentElement.scrollWidth <= view) return [];
        const inScroller = (node) => node.closest('.scroll') && !node.matches('.scroll');
        return [...document.querySelectorAll('body *')]
          .filter((node) => node.getBoundingClientRect().right > view + 1 && !inScroller(node))
          .map((node) => `${node.tagName}.${node.className} reaches ${Math.round(node.getBoundingClientRect().right)} of ${view}`)
          .concat(`page is ${document.documentElement.scrollWidth} wide`);
      });
      report(file, `no sideways scroll at ${width} px, ${state}`, problems);
    }
    await context.close();
  }
}

async function links(file) {
  const { context, page } = await open(file, { viewport: { width: 1440, height: 900 } });
  const targets = await page.evaluate(() => [...new Set([...document.querySelectorAll('a[href^="#"]')].map((a) => a.getAttribute('href')))]);
  const missing = await page.evaluate((all) => all.filter((href) => !document.getElementById(href.slice(1))), targets);
  report(file, `all ${targets.length} internal links have a target`, missing);
  // Follow a spread of them for real, folded targets included: the target must be on the screen.
  const step = Math.max(1, Math.floor(targets.length / 25));
  const lost = [];
  for (const href of targets.filter((_, index) => index % step === 0)) {
    const seen = await page.evaluate(async (to) => {
      location.hash = '';
      location.hash = to;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const box = document.getElementById(to.slice(1)).getBoundingClientRect();
      return box.height > 0 && box.top < innerHeight && box.bottom > 0;
    }, href);
    if (!seen) lost.push(href);
  }
  report(file, 'followed links come into view', lost);
  const outside = await page.evaluate(() => [...document.querySelectorAll('[src], link[href], use, image, iframe, script, form')]
    .filter((node) => node.getAttribute('href') !== 'data:,').map((node) => node.outerHTML.slice(0, 120)));
  report(file, 'nothing is loaded or run', outside);
  await context.close();
}

async function withoutScripts(file) {
  const { context, page } = await open(file, { javaScriptEnabled: false, viewport: { width: 1440, height: 900 } });
  const problems = [];
  if (!(await page.locator('h1').innerText()).trim()) problems.push('no headline');
  if ((await page.locator('main').innerText()).length < 40) problems.push('hardly any text');
  const fold = page.locator('details:not([open]) > summary').first();
  if (await fold.count()) {
    await fold.click();
    if (!(await page.locator('details[open]').count())) problems.push('details do not open');
  }
  report(file, 'reads with scripts off', problems);
  await context.close();
}

async function accessible(file) {
  for (const colorScheme of SCHEMES) {
    const { context, page } = await open(file, { colorScheme, viewport: { width: 1280, height: 900 }, bypassCSP: true });
    await unfold(page);
    await page.evaluate(AXE);
    const result = await page.evaluate(() => window.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations'],
    }));
    const problems = result.violations.flatMap((violation) => violation.nodes.slice(0, 3)
      .map((node) => `${violation.id}: ${node.target.join(' ')} ${node.any[0]?.message ?? node.all[0]?.message ?? node.none[0]?.message ?? ''}`));
    report(file, `axe-core finds nothing, ${colorScheme}`, problems);
    await context.close();
  }
}

async function prints(file) {
  const { context, page } = await open(file, { viewport: { width: 1280, height: 900 } });
  const pdf = await page.pdf({ format: 'A4', path: shots ? join(shots, `${basename(file, '.html')}.pdf`) : undefined });
  report(file, 'prints to PDF', pdf.length > 2000 && pdf.subarray(0, 5).toString() === '%PDF-' ? [] : ['no PDF']);
  // A4 between the margins, at 96 dpi.
  await page.setViewportSize({ width: 688, height: 1000 });
  await page.emulateMedia({ media: 'print' });
  const cut = await page.evaluate(() => [...document.querySelectorAll('table, pre, svg')]
    .filter((node) => node.checkVisibility() && node.getBoundingClientRect().right > innerWidth + 1)
    .map((node) => `${node.tagName}.${node.getAttribute('class')} is ${Math.round(node.getBoundingClientRect().right)} wide`));
  report(file, 'no table or chart is cut in print', cut);
  await context.close();
}

async function shoot(file) {
  const name = basename(file, '.html');
  for (const [label, width, colorScheme] of [['light', 1440, 'light'], ['dark', 1440, 'dark'], ['360', 360, 'light']]) {
    const { context, page } = await open(file, { colorScheme, viewport: { width, height: 900 } });
    await page.screenshot({ path: join(shots, `${name}-${label}-first.png`) });
    await unfold(page);
    const height = await page.evaluate(() => Math.min(document.documentElement.scrollHeight, 12000));
    await page.setViewportSize({ width, height });
    await page.screenshot({ path: join(shots, `${name}-${label}.png`), timeout: 120000 });
    await context.close();
  }
}

for (const file of args) {
  await quiet(file);
  await widths(file);
  await links(file);
  await withoutScripts(file);
  await accessible(file);
  await prints(file);
  if (shots) await shoot(file);
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
