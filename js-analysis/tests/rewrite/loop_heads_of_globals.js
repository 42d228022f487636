// watch: x
for (var { x } = o; x < 3; x++);
if (o) for (var [x] = [1], y = 2; ;) break;
l: for (var [x] = [1]; ;) break l;
(function () { for (var [x] = [1]; ;) break; });
