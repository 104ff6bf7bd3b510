"""The operations whose gradients are recorded release by release, and the points they are asked at.

Data in the syntax of Python 3.7, since `nox -s changes` copies it to old releases. The code of an
operation is what a user would type; `x` (and `z`, `w`) are leaves, and `t(…)` stands for
`torch.tensor(…)` of their dtype. The points are the ordinary one first, then kinks, ties, bounds,
zeros, infinities and nan.
"""

from __future__ import annotations

from typing import Any, NamedTuple

INF, NAN = float("inf"), float("nan")


class Group(NamedTuple):
    """Operations that are asked at the same points, and whether each element answers alone."""

    points: dict[str, tuple[Any, ...]]  # by name: a value for each leaf, as nested lists
    codes: tuple[str, ...]
    elementwise: bool = False


# Bounds of clamp, hardtanh (1), relu6 (6), hardswish (3), hardshrink (0.5), softplus (20); poles of
# the gamma functions (whole numbers up to 0); ends of acos, atanh, erfinv (1); 100 overflows exp in
# float32.
LINE = (
    *(-INF, -100.0, -6.0, -3.0, -2.0, -1.5, -1.0, -0.5, -0.0, 0.0, 0.25, 0.5, 1.0),
    *(1.5, 2.0, 3.0, 6.0, 20.0, 100.0, INF, NAN),
)
PLANE = (0j, 1 + 0j, -1 + 0j, 1j, -1j, 3 + 4j, -0.5 - 2j, 100 + 1j, complex(INF, 0))
TIED = (-INF, -2.0, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, INF, NAN)

ONE = """
x.abs() x.neg() x.sign() x.sgn() x.square() x.sqrt() x.rsqrt() x.reciprocal() x.positive() x.exp()
x.exp2() x.expm1() x.log() x.log2() x.log10() x.log1p() x.sin() x.cos() x.tan() x.asin() x.acos()
x.atan() x.sinh() x.cosh() x.tanh() x.asinh() x.acosh() x.atanh() x.sinc() x.sigmoid() x.logit()
x.logit(1e-6) x.erf() x.erfc() x.erfinv() x.lgamma() x.digamma() x.polygamma(1) x.mvlgamma(1)
x.i0() x.ceil() x.floor() x.round() x.round(decimals=1) x.trunc() x.frac() x.deg2rad() x.rad2deg()
x.nan_to_num() x.nan_to_num(nan=1.0) x.clone() x.detach().requires_grad_() x.clamp(0,1)
x.clamp(min=0) x.clamp(max=1) x.clamp(1,0) x.clamp(0,0) x.clamp(-inf,inf) x.clamp(min=nan)
x.clip(0,1) x.clamp_min(0) x.clamp_max(1) x.clone().clamp_(0,1) x.clamp(t(0.0),t(1.0))
x.clamp(min=t(0.0)) x.clamp(max=t(1.0)) x.pow(0) x.pow(1) x.pow(2) x.pow(3) x.pow(0.5) x.pow(-1)
x.pow(-2) x.pow(1.5) x.pow(0.0) x**2 2**x 0**x 1**x (-1.0)**x 0.5**x torch.pow(2,x)
x.float_power(2) x%1 x%2 x.fmod(1) x.fmod(2) x.remainder(1) x.remainder(-2) x//1 x/0 x/2 1/x 0/x
x*0 x*inf x-x x.div(2,rounding_mode='floor') x.div(2,rounding_mode='trunc') x.copysign(1)
x.copysign(-1) x.hypot(t(0.0)) x.atan2(t(0.0)) x.atan2(t(1.0)) x.xlogy(0) x.xlogy(2) x.xlogy(x)
x.ldexp(t(2.0)) x.lerp(t(1.0),0.5) x.where(x>0,t(0.0)) torch.where(x>0,x.sqrt(),x)
torch.where(x>0,x,x.exp()) torch.where(x>0,x.log(),t(0.0)) x.masked_fill(x<0,0) x*(x>0)
torch.heaviside(x,t(0.5)) x.clone().mul_(0) x.clone().zero_() x.clone().abs_() x.clone().exp_()
x.clone().relu_() x.clone().sqrt_() x.clone().fill_(1) F.relu(x) F.relu6(x) F.leaky_relu(x)
F.leaky_relu(x,0) F.leaky_relu(x,-0.5) F.elu(x) F.elu(x,2) F.elu_(x.clone()) F.selu(x) F.celu(x)
F.celu(x,0.5) F.gelu(x) F.gelu(x,approximate='tanh') F.silu(x) F.mish(x) F.softplus(x)
F.softplus(x,5) F.softplus(x,1,1) F.softsign(x) F.logsigmoid(x) F.tanhshrink(x) F.hardshrink(x)
F.hardshrink(x,0) F.softshrink(x) F.softshrink(x,0) F.hardtanh(x) F.hardtanh(x,0,1)
F.hardtanh_(x.clone(),0,1) F.hardsigmoid(x) F.hardswish(x) F.threshold(x,0,0) F.threshold(x,1,20)
F.rrelu(x) F.prelu(x,t([0.25])) F.dropout(x,0.0) F.dropout(x,1.0) F.dropout(x,0.5,False)
F.alpha_dropout(x,0.0) F.alpha_dropout(x,1.0) torch.special.expit(x) torch.special.entr(x)
torch.special.erfcx(x) torch.special.i0e(x) torch.special.i1(x) torch.special.i1e(x)
torch.special.log_ndtr(x) torch.special.ndtr(x) torch.special.ndtri(x) torch.special.psi(x)
torch.special.gammaln(x) torch.special.log1p(x) torch.special.xlog1py(x,2)
torch.special.xlog1py(0,x) torch.special.zeta(2,x) x.cumsum(0)-x x.real x.view_as(x) x.contiguous()
x.to(torch.float64) x.double() x.half() x.type(torch.float32) x.bool().float() x.int().float()
"""

COMPLEX = """
x.abs() x.angle() x.real x.imag x.conj() x.sgn() x.square() x.sqrt() x.rsqrt() x.reciprocal()
x.exp() x.log() x.log2() x.log10() x.log1p() x.sin() x.cos() x.tan() x.asin() x.acos() x.atan()
x.sinh() x.cosh() x.tanh() x.asinh() x.acosh() x.atanh() x.sigmoid() x.pow(0) x.pow(2) x.pow(0.5)
x.pow(-1) x**x 2**x 0**x x*x.conj() x.abs()**2 x/x x/x.abs() 1/x x.neg() torch.view_as_real(x)
torch.polar(x.abs(),x.angle()) torch.where(x.real>0,x,x*2) x.expm1() torch.sinc(x)
"""

TWO = """
x+z x-z x*z x/z x**z torch.maximum(x,z) torch.minimum(x,z) torch.fmax(x,z) torch.fmin(x,z)
torch.max(x,z) torch.min(x,z) torch.atan2(x,z) torch.hypot(x,z) torch.fmod(x,z)
torch.remainder(x,z) torch.logaddexp(x,z) torch.logaddexp2(x,z) torch.xlogy(x,z)
torch.copysign(x,z) torch.special.xlog1py(x,z) torch.dist(x,z) x.lerp(z,0.5) torch.float_power(x,z)
x.clamp(min=z) x.clamp(max=z) x.clamp(z,t(1.0)) torch.clamp(t(0.0),x,z) torch.where(x>z,x,z)
torch.ldexp(x,z) torch.div(x,z,rounding_mode='floor') torch.div(x,z,rounding_mode='trunc')
torch.true_divide(x,z) F.threshold(x-z,0,0) torch.special.zeta(x,z) torch.heaviside(x,z)
torch.addcmul(x,x,z) torch.addcdiv(x,x,z) F.l1_loss(x,z,reduction='none')
F.mse_loss(x,z,reduction='none') F.smooth_l1_loss(x,z,reduction='none')
F.huber_loss(x,z,reduction='none') F.smooth_l1_loss(x,z,reduction='none',beta=0)
F.smooth_l1_loss(x,z,reduction='none',beta=0.5)
F.binary_cross_entropy_with_logits(x,z,reduction='none') F.kl_div(x,z,reduction='none')
F.kl_div(x,z,reduction='none',log_target=True) F.poisson_nll_loss(x,z,reduction='none')
F.poisson_nll_loss(x,z,False,True,reduction='none')
F.soft_margin_loss(x,z.detach(),reduction='none') F.hinge_embedding_loss(x,z,reduction='none')
F.gaussian_nll_loss(x,z,z*z,reduction='none')
"""

PROBABILITIES = """
F.binary_cross_entropy(x,z,reduction='none') F.binary_cross_entropy(x,z.detach())
F.binary_cross_entropy_with_logits(x.logit(),z,reduction='none')
F.kl_div(x.log(),z,reduction='none') F.kl_div(x.log(),z.detach(),reduction='sum')
F.nll_loss(torch.stack([x,z],1).log(),torch.zeros(x.shape).long(),reduction='none') x*x.log()
x.xlogy(x) torch.special.entr(x) x.logit() torch.special.ndtri(x) torch.xlogy(x,z) x.log()-z.log()
torch.logaddexp(x.log(),z.log())
"""

VECTOR = """
x.sum() x.mean() x.prod() x.max() x.min() x.amax() x.amin() x.aminmax()[0] x.max(0)[0] x.min(0)[0]
x.amax(0) x.amin(0) x.median() x.median(0)[0] x.nanmedian() x.nanmedian(0)[0] x.mode()[0]
x.kthvalue(1)[0] x.kthvalue(2)[0] x.topk(2)[0] x.topk(1)[0] x.sort()[0] x.sort(descending=True)[0]
x.msort() x.cummax(0)[0] x.cummin(0)[0] x.cumsum(0) x.cumprod(0) x.logcumsumexp(0) x.logsumexp(0)
x.nansum() x.nanmean() x.std() x.var() x.std(unbiased=False) x.var(unbiased=False) x.std(0)
torch.std_mean(x)[0] torch.var_mean(x)[1] x.quantile(0.5) x.quantile(0.25) x.quantile(t([0.0,1.0]))
x.quantile(0.5,interpolation='lower') x.quantile(0.5,interpolation='nearest')
x.quantile(0.5,interpolation='midpoint') x.nanquantile(0.5) x.norm() x.norm(0) x.norm(0.5)
x.norm(1) x.norm(1.5) x.norm(2) x.norm(3) x.norm(inf) x.norm(-inf) x.norm(-1) x.norm(2,0)
torch.linalg.norm(x) torch.linalg.norm(x,1) torch.linalg.norm(x,inf) torch.linalg.norm(x,-inf)
torch.linalg.vector_norm(x) torch.linalg.vector_norm(x,0) torch.linalg.vector_norm(x,0.5)
torch.linalg.vector_norm(x,1) torch.linalg.vector_norm(x,1.5) torch.linalg.vector_norm(x,3)
torch.linalg.vector_norm(x,inf) torch.linalg.vector_norm(x,-inf) torch.linalg.vector_norm(x,-1)
torch.dist(x,t([1.0])) torch.dist(x,x) torch.dist(x,t([1.0]),inf) x.softmax(0) x.log_softmax(0)
F.softmin(x,0) x.softmax(0).log() F.normalize(x,dim=0) F.normalize(x,p=1,dim=0)
F.normalize(x,p=inf,dim=0) x/x.norm() x/x.sum() F.layer_norm(x,x.shape) F.rms_norm(x,x.shape)
F.glu(x,0) F.cosine_similarity(x,t([1.0]),0)
F.cosine_similarity(x,x,0) x.dot(x) x.vdot(x) x.outer(x)
torch.linalg.multi_dot([x,x.reshape(-1,1)]) x.diff() torch.trapz(x) torch.trapezoid(x)
torch.cumulative_trapezoid(x) torch.gradient(x)[0] x.unfold(0,2,1) x.flip(0) x.roll(1) x.repeat(2)
x.repeat_interleave(2) x.tile(2) x.expand(2,-1) x[0] x[-1] x[:2] x[[0,0]] x[x>0]
x[torch.tensor([0,0])] x.index_select(0,torch.tensor([0,0])) x.gather(0,torch.tensor([0,0]))
x.take(torch.tensor([0,0])) x.masked_select(x>0) x.unbind()[0] x.split(2)[0] x.chunk(2)[0] x.diag()
x.diag_embed() torch.block_diag(x) torch.cat([x,x]) torch.stack([x,x]) torch.hstack([x,x])
torch.einsum('i,i',x,x) torch.combinations(x) torch.cartesian_prod(x,x)
torch.cdist(x.reshape(-1,1),x.reshape(-1,1)) torch.cdist(x.reshape(-1,1),x.reshape(-1,1),1.0)
torch.cdist(x.reshape(-1,1),x.reshape(-1,1),0.0) torch.cdist(x.reshape(-1,1),x.reshape(-1,1),inf)
F.pdist(x.reshape(-1,1)) F.pairwise_distance(x.reshape(1,-1),x.reshape(1,-1)) torch.corrcoef(x)
torch.cov(x) x.histc() x.unique() x.argmax() x.count_nonzero() x.any() x.isnan() x.logical_not()
x.clone().index_fill_(0,torch.tensor([0]),1) x.clone().masked_fill_(x==0,1)
x.put(torch.tensor([0]),x[:1]) x.index_add(0,torch.tensor([0,0]),t([1.0,2.0]))
x.scatter(0,torch.tensor([0]),1.0) x.scatter_add(0,torch.tensor([0,0]),t([1.0,2.0]))
x.index_copy(0,torch.tensor([0]),t([1.0]))
x.scatter_reduce(0,torch.tensor([0,0]),t([2.0,1.0]),'amax')
t([0.0,2.0]).scatter_reduce(0,torch.zeros_like(x).long(),x,'amax')
t([0.0,2.0]).scatter_reduce(0,torch.zeros_like(x).long(),x,'amin')
t([0.0,2.0]).scatter_reduce(0,torch.zeros_like(x).long(),x,'prod')
t([0.0,2.0]).scatter_reduce(0,torch.zeros_like(x).long(),x,'mean')
t([0.0,2.0]).index_reduce(0,torch.zeros_like(x).long(),x,'prod')
t([0.0,2.0]).index_reduce(0,torch.zeros_like(x).long(),x,'amax')
t([0.0,2.0]).scatter_add(0,torch.zeros_like(x).long(),x)
torch.segment_reduce(x,'max',lengths=torch.tensor([x.numel()]))
torch.segment_reduce(x,'prod',lengths=torch.tensor([x.numel()])) torch.fft.fft(x).abs()
torch.fft.rfft(x).real x.sparse_mask(x.detach().to_sparse()).to_dense() x.to_sparse().to_dense()
torch.sparse.sum(x.to_sparse()) x.var(correction=0) x.std(correction=2)
"""

ROWS = """
x.sum(1) x.mean(1) x.prod(1) x.prod(0) x.max(1)[0] x.min(1)[0] x.amax(1) x.amin(1) x.amax((0,1))
x.median(1)[0] x.nanmedian(1)[0] x.mode(1)[0] x.kthvalue(2,1)[0] x.topk(2,1)[0] x.sort(1)[0]
x.cummax(1)[0] x.cummin(1)[0] x.cumprod(1) x.logcumsumexp(1) x.logsumexp(1) x.logsumexp((0,1))
x.softmax(1) x.log_softmax(1) x.std(1) x.var(1) x.norm(2,1) x.norm(1,1) x.norm(inf,1) x.norm('fro')
x.norm('nuc') x.norm(p=2,dim=(0,1)) x.renorm(2,0,1.0) x.renorm(1,0,1.0) x.quantile(0.5,1)
F.normalize(x) F.normalize(x,p=1) F.layer_norm(x,x.shape[1:]) F.group_norm(x,1)
F.instance_norm(x.unsqueeze(0)) F.batch_norm(x,None,None,training=True)
F.local_response_norm(x.unsqueeze(0),2) F.cosine_similarity(x,x.flip(0))
F.pairwise_distance(x,x.flip(0)) F.pairwise_distance(x,x) F.pdist(x) torch.cdist(x,x)
torch.cdist(x,x.flip(0)) torch.cdist(x,x,1.0) torch.cdist(x,x,2.0,'donot_use_mm_for_euclid_dist')
x@x.t() x.mm(x.t()) x.matmul(t([1.0,1.0,1.0]))
F.bilinear(x,x,t([[[1.0,0.0,0.0],[0.0,1.0,0.0],[0.0,0.0,1.0]]]))
F.scaled_dot_product_attention(x[None],x[None],x[None])
F.scaled_dot_product_attention(x[None],x[None],x[None],is_causal=True)
F.embedding(torch.tensor([0,0]),x) F.embedding(torch.tensor([0,1]),x,padding_idx=0)
F.embedding(torch.tensor([0,1]),x,max_norm=1.0)
F.embedding(torch.tensor([0,0,1]),x,scale_grad_by_freq=True)
F.embedding_bag(torch.tensor([[0,0]]),x,mode='max')
F.embedding_bag(torch.tensor([[0,1]]),x,mode='mean')
F.embedding_bag(torch.tensor([0,1]),x,torch.tensor([0,0]),mode='max')
F.cross_entropy(x,torch.tensor([0,2])) F.cross_entropy(x,torch.tensor([0,2]),reduction='none')
F.cross_entropy(x,torch.tensor([-100,-100]))
F.cross_entropy(x,torch.tensor([-100,2]),reduction='sum')
F.cross_entropy(x,torch.tensor([0,2]),t([0.0,1.0,2.0]))
F.cross_entropy(x,torch.tensor([0,0]),t([0.0,1.0,2.0]))
F.cross_entropy(x,torch.tensor([0,2]),label_smoothing=0.1)
F.cross_entropy(x,t([[1.0,0.0,0.0],[0.0,0.5,0.5]])) F.cross_entropy(x,torch.tensor([0,5]))
F.cross_entropy(x,x.detach()) F.nll_loss(x,torch.tensor([0,2]))
F.nll_loss(x,torch.tensor([-100,-100])) F.nll_loss(x,torch.tensor([0,2]),reduction='none')
F.multi_margin_loss(x,torch.tensor([0,2])) F.multi_margin_loss(x,torch.tensor([0,2]),p=2)
F.multilabel_margin_loss(x,torch.tensor([[0,-1,1],[2,-1,0]]))
F.multilabel_soft_margin_loss(x,x.detach())
F.cosine_embedding_loss(x,x.flip(0),torch.tensor([1,-1]))
F.cosine_embedding_loss(x,x,torch.tensor([1,-1])) F.triplet_margin_loss(x,x,x)
F.triplet_margin_loss(x,x.flip(0),x) F.margin_ranking_loss(x[0],x[1],t([1.0,-1.0,1.0]))
F.triplet_margin_with_distance_loss(x,x,x) F.kl_div(x,x.detach())
F.kl_div(x,x.detach(),reduction='batchmean') F.l1_loss(x,x.detach()) F.mse_loss(x,t([0.0]))
F.smooth_l1_loss(x,x.detach()) F.huber_loss(x,x.detach()) F.dropout2d(x[None,None],0.0)
x.diagonal_scatter(x[:,0]) x.triu() x.tril() x.trace() x.diagonal() x.t() x.transpose(0,1)
x.permute(1,0) x.reshape(-1) x.view(-1) x.flatten() x.squeeze() x.unsqueeze(0) x.movedim(0,1)
x.rot90() x.flip(1) x.roll(1,1) x.narrow(1,0,2) x.select(1,0) x.as_strided((2,2),(1,1))
x.as_strided((2,),(0,)) x[:,0] x[...,1:] x[[0,0]] x[x>0] x.expand(2,2,3) x.cov() x.corrcoef()
x.nonzero() x.argsort() torch.cross(x,x.flip(0)) torch.cross(x,x.flip(0),dim=1)
torch.linalg.cross(x,x.flip(0)) torch.kron(x,x) torch.tensordot(x,x,([1],[1]))
torch.einsum('ij,ij->i',x,x)
torch.baddbmm(x[None],x[None],t([[[1.0,0.0,0.0],[0.0,1.0,0.0],[0.0,0.0,1.0]]]))
F.ctc_loss(x.log_softmax(1)[:,None],torch.tensor([[1]]),(2,),(1,))
F.ctc_loss(x.log_softmax(1)[:,None],torch.tensor([[1,1]]),(2,),(2,))
F.ctc_loss(x.log_softmax(1)[:,None],torch.tensor([[1,1]]),(2,),(2,),zero_infinity=True)
"""

SQUARE = """
x.det() torch.det(x) torch.linalg.det(x) x.logdet() x.slogdet()[1] torch.linalg.slogdet(x)[1]
x.inverse() torch.linalg.inv(x) x.pinverse() torch.linalg.pinv(x)
torch.linalg.pinv(x,hermitian=True) x.cholesky() torch.linalg.cholesky(x)
torch.linalg.cholesky(x,upper=True) torch.cholesky_inverse(x) torch.linalg.qr(x)[1]
torch.linalg.qr(x,'r')[1] torch.qr(x)[1] x.svd()[1] x.svd()[0].abs() torch.linalg.svd(x)[1]
torch.linalg.svd(x)[0].abs() torch.linalg.svd(x,full_matrices=False)[0].abs()
torch.linalg.svdvals(x) torch.linalg.eigvals(x).real torch.linalg.eigvals(x).abs()
torch.linalg.eig(x)[1].abs() torch.linalg.eigvalsh(x) torch.linalg.eigh(x)[0]
torch.linalg.eigh(x)[1].abs() torch.symeig(x,True)[0] torch.linalg.norm(x)
torch.linalg.norm(x,'fro') torch.linalg.norm(x,'nuc') torch.linalg.norm(x,2)
torch.linalg.norm(x,-2) torch.linalg.norm(x,1) torch.linalg.norm(x,-1) torch.linalg.norm(x,inf)
torch.linalg.matrix_norm(x) torch.linalg.matrix_norm(x,2) torch.linalg.matrix_norm(x,'nuc')
torch.linalg.cond(x) torch.linalg.cond(x,1) torch.linalg.matrix_rank(x) torch.matrix_exp(x)
torch.linalg.matrix_exp(x) torch.matrix_power(x,0) torch.matrix_power(x,2)
torch.linalg.matrix_power(x,3) torch.linalg.matrix_power(x,-1) torch.linalg.solve(x,t([1.0,2.0]))
torch.solve(t([[1.0],[2.0]]),x)[0] torch.linalg.solve_triangular(x,t([[1.0],[2.0]]),upper=True)
torch.triangular_solve(t([[1.0],[2.0]]),x)[0] torch.cholesky_solve(t([[1.0],[2.0]]),x)
torch.linalg.lstsq(x,t([[1.0],[2.0]]))[0] torch.linalg.lu(x)[2] torch.lu(x)[0]
torch.linalg.lu_factor(x)[0] torch.linalg.ldl_factor(x)[0]
torch.linalg.householder_product(x,t([1.0,1.0])) torch.linalg.tensorinv(x.reshape(2,1,2),1)
torch.linalg.vecdot(x,x) torch.linalg.diagonal(x) torch.linalg.vander(x) x.trace() x@x
x.mv(t([1.0,2.0])) torch.addmm(x,x,x) torch.addmv(x[0],x,x[1]) torch.addr(x,x[0],x[1])
torch.chain_matmul(x,x) x.logdet().exp() x.det().abs().log()
"""

SIGNAL = """
F.max_pool1d(x,2) F.max_pool1d(x,2,1) F.max_pool1d(x,3,1,1) F.max_pool1d(x,2,ceil_mode=True)
F.max_pool1d(x,2,1,return_indices=True)[0] F.avg_pool1d(x,2) F.avg_pool1d(x,3,1,1)
F.avg_pool1d(x,3,1,1,count_include_pad=False) F.avg_pool1d(x,2,ceil_mode=True) F.lp_pool1d(x,2,2)
F.lp_pool1d(x,1,2) F.lp_pool1d(x,inf,2) F.adaptive_max_pool1d(x,1) F.adaptive_max_pool1d(x,2)
F.adaptive_avg_pool1d(x,2) F.adaptive_avg_pool1d(x,3) F.conv1d(x,t([[[1.0,2.0]]]))
F.conv1d(x,t([[[1.0,2.0]]]),padding=1) F.conv1d(x,t([[[1.0,2.0]]]),padding='same')
F.conv1d(x,t([[[1.0,0.0]]]),stride=2) F.conv_transpose1d(x,t([[[1.0,2.0]]])) F.pad(x,(1,1))
F.pad(x,(1,1),'reflect') F.pad(x,(1,1),'replicate') F.pad(x,(1,1),'circular') F.pad(x,(-1,0))
F.interpolate(x,scale_factor=2) F.interpolate(x,size=3)
F.interpolate(x,scale_factor=2,mode='linear',align_corners=False)
F.interpolate(x,scale_factor=2,mode='linear',align_corners=True)
F.interpolate(x,scale_factor=2,mode='area') F.interpolate(x,size=3,mode='nearest-exact')
F.interpolate(x,scale_factor=0.5,mode='linear')
F.max_unpool1d(*F.max_pool1d(x,2,return_indices=True),2) F.unfold(x[...,None],(2,1))
F.instance_norm(x) F.batch_norm(x,None,None,training=True) F.group_norm(x,1)
F.local_response_norm(x,2) F.feature_alpha_dropout(x,0.0) F.dropout1d(x,0.0) F.channel_shuffle(x,1)
torch.channel_shuffle(x,1) F.fold(x,(1,4),1)
"""

IMAGE = """
F.max_pool2d(x,2) F.max_pool2d(x,2,1) F.max_pool2d(x,3,1,1) F.max_pool2d(x,2,ceil_mode=True)
F.max_pool2d(x,2,1,return_indices=True)[0] F.max_pool2d(x,2,dilation=2) F.avg_pool2d(x,2)
F.avg_pool2d(x,2,divisor_override=1) F.lp_pool2d(x,2,2) F.lp_pool2d(x,1,2)
F.adaptive_max_pool2d(x,1) F.adaptive_max_pool2d(x,2) F.adaptive_avg_pool2d(x,2)
F.fractional_max_pool2d(x,2,output_size=2,_random_samples=t([[[0.5,0.5]]]))
F.conv2d(x,t([[[[1.0,2.0],[3.0,4.0]]]])) F.conv_transpose2d(x,t([[[[1.0,2.0],[3.0,4.0]]]]))
F.interpolate(x,scale_factor=2) F.interpolate(x,scale_factor=2,mode='bilinear')
F.interpolate(x,scale_factor=2,mode='bilinear',align_corners=True)
F.interpolate(x,scale_factor=2,mode='bicubic')
F.interpolate(x,scale_factor=0.5,mode='bilinear',antialias=True)
F.interpolate(x,size=(2,2),mode='bicubic') F.interpolate(x,size=(2,2),mode='area')
F.pad(x,(1,1,1,1),'reflect') F.pad(x,(1,1,1,1),'replicate') F.pad(x,(1,1,1,1),'circular')
F.unfold(x,2) F.pixel_shuffle(x.reshape(1,9,1,1),3) F.pixel_unshuffle(x,3)
F.grid_sample(x,t([[[[0.0,0.0],[1.0,1.0]]]]))
F.grid_sample(x,t([[[[0.0,0.0],[1.0,1.0]]]]),align_corners=True)
F.grid_sample(x,t([[[[0.5,-2.0]]]]),padding_mode='border')
F.grid_sample(x,t([[[[0.5,-2.0]]]]),padding_mode='reflection')
F.grid_sample(x,t([[[[0.0,0.1]]]]),mode='nearest')
F.grid_sample(x,t([[[[0.0,0.1]]]]),mode='bicubic')
F.grid_sample(t([[[[1.0,2.0,4.0],[3.0,1.0,1.0],[5.0,2.0,2.0]]]]),x[:,0,:,:2][:,None])
F.max_unpool2d(*F.max_pool2d(x,2,1,return_indices=True),2,1)
F.batch_norm(x,None,None,training=True) F.batch_norm(x,t([0.0]),t([1.0])) F.instance_norm(x)
F.group_norm(x,1) F.layer_norm(x,x.shape[2:]) F.dropout2d(x,0.0)
F.cross_entropy(x.transpose(1,2),torch.tensor([[[0,1,2]]])) torch.fft.fft2(x).abs()
torch.fft.irfft2(torch.fft.rfft2(x)) F.nll_loss(x.transpose(1,2),torch.tensor([[[0,1,2]]]))
F.affine_grid(x[0,:,:2],(1,1,2,2),align_corners=False)
"""

GROUPS = {
    "one number": Group({"x": (LINE,)}, tuple(ONE.split()), True),
    "two numbers": Group(
        {"x, z": ([a for a in TIED for _ in TIED], [b for _ in TIED for b in TIED])},
        tuple(TWO.split()),
        True,
    ),
    "two probabilities": Group(
        {"x, z": ([a for a in (0.0, 0.25, 1.0) for _ in range(3)], [0.0, 0.25, 1.0] * 3)},
        tuple(PROBABILITIES.split()),
        True,
    ),
    "one complex number": Group({"x": (PLANE,)}, tuple(COMPLEX.split()), True),
    "a vector": Group(
        {
            "ordinary": ([1.0, -2.0, 0.5, 3.0],),
            "ties": ([1.0, 2.0, 1.0, 2.0],),
            "all tied": ([2.0, 2.0, 2.0],),
            "one zero": ([2.0, 0.0, 3.0],),
            "two zeros": ([0.0, 2.0, 0.0],),
            "zeros": ([0.0, 0.0, 0.0],),
            "inf": ([1.0, INF, 2.0],),
            "two inf": ([INF, 1.0, INF],),
            "-inf": ([1.0, -INF, 2.0],),
            "-inf alone": ([-INF, -INF],),
            "nan": ([1.0, NAN, 2.0],),
            "two nan": ([NAN, 1.0, NAN],),
            "one element": ([2.0],),
            "no element": ([],),
            "no dimension": (2.0,),
        },
        tuple(VECTOR.split()),
    ),
    "rows": Group(
        {
            "ordinary": ([[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]],),
            "ties": ([[2.0, 2.0, 1.0], [1.0, 1.0, 1.0]],),
            "equal rows": ([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]],),
            "one zero": ([[2.0, 0.0, 3.0], [1.0, 2.0, 3.0]],),
            "zeros": ([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],),
            "inf": ([[1.0, INF, 2.0], [1.0, 2.0, 3.0]],),
            "-inf alone": ([[-INF, -INF, -INF], [1.0, 2.0, 3.0]],),
            "nan": ([[1.0, NAN, 2.0], [1.0, 2.0, 3.0]],),
        },
        tuple(ROWS.split()),
    ),
    "a square matrix": Group(
        {
            "ordinary": ([[4.0, 1.0], [2.0, 3.0]],),
            "symmetric": ([[2.0, 1.0], [1.0, 3.0]],),
            "identity": ([[1.0, 0.0], [0.0, 1.0]],),
            "singular": ([[1.0, 2.0], [2.0, 4.0]],),
            "defective": ([[1.0, 1.0], [0.0, 1.0]],),
            "zeros": ([[0.0, 0.0], [0.0, 0.0]],),
            "inf": ([[INF, 1.0], [1.0, 3.0]],),
            "nan": ([[NAN, 1.0], [1.0, 3.0]],),
        },
        tuple(SQUARE.split()),
    ),
    "a signal": Group(
        {
            "ordinary": ([[[1.0, -2.0, 0.5, 3.0]]],),
            "ties": ([[[2.0, 2.0, 2.0, 2.0]]],),
            "zeros": ([[[0.0, 0.0, 0.0, 0.0]]],),
            "-inf alone": ([[[-INF, -INF, -INF, -INF]]],),
            "inf": ([[[1.0, INF, INF, 3.0]]],),
            "nan": ([[[1.0, NAN, 2.0, NAN]]],),
        },
        tuple(SIGNAL.split()),
    ),
    "an image": Group(
        {
            "ordinary": ([[[[1.0, -2.0, 0.5], [3.0, 0.25, -1.0], [2.0, 4.0, 0.75]]]],),
            "ties": ([[[[2.0, 2.0, 2.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]]],),
            "-inf alone": ([[[[-INF, -INF, -INF]] * 3]],),
            "nan": ([[[[1.0, NAN, 2.0], [NAN, 1.0, 2.0], [1.0, 2.0, 3.0]]]],),
        },
        tuple(IMAGE.split()),
    ),
}
